import { useNavigate } from '@tanstack/react-router';
import { people, useAction } from '../api/index.ts';
import { type SignedIn, sessionIs } from '../api/session.ts';
import { DownIcon } from '../kit/icons.tsx';
import { Menu } from '../kit/menu.tsx';
import css from './shell.module.css';

const options = [
  ['account', 'Account'],
  ['sign-out', 'Sign out'],
] as const;

export function AccountMenu({ signedIn: { user }, onLeave }: { signedIn: SignedIn; onLeave: () => void }) {
  const navigate = useNavigate();
  const leaving = useAction(() => people.signOut(), {
    onDone: async (next) => {
      sessionIs(next);
      await navigate({ to: '/sign-in', search: {}, replace: true });
    },
  });
  const choose = (what: (typeof options)[number][0]): void => {
    onLeave();
    if (what === 'sign-out') leaving.mutate();
    else void navigate({ to: '/account' });
  };
  return (
    <Menu
      trigger={
        <button type="button" className={css.account} disabled={leaving.isPending}>
          <span className={css.who}>
            <span className="visually-hidden">Account: </span>
            <span>{user.name}</span>
            <small>{user.email}</small>
          </span>
          <DownIcon />
        </button>
      }
      label="Account"
      heading={
        <>
          {user.name}
          <small>{user.email}</small>
        </>
      }
      options={options}
      onChoose={choose}
    />
  );
}
