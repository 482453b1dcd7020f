import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { people } from '../../api/client.ts';
import { type SignedIn, sessionIs } from '../../api/session.ts';
import { Button } from '../../kit/button.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { Note } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { PasswordField } from '../sign-in/password-field.tsx';
import { isWebAddress } from '../sign-in/where-to.ts';

type Identity = SignedIn['user']['identities'][number];

const columnsFor = (hasPassword: boolean): Column<Identity>[] => [
  { name: 'Provider', main: true, cell: ({ issuer }) => <code>{issuer}</code> },
  { name: 'Linked', figure: true, cell: ({ linkedAt }) => <Time at={linkedAt} /> },
  {
    name: 'Actions',
    figure: true,
    cell: (identity) => <Unlink identity={identity} hasPassword={hasPassword} />,
  },
];

/** Accounts elsewhere that open this one. */
export function Identities({ signedIn: { user, ways } }: { signedIn: SignedIn }) {
  if (!ways.oidc && user.identities.length === 0) return null;
  return (
    <Section title="Sign-in with a provider">
      {user.identities.length > 0 ? (
        <>
          <Table
            label="Identities"
            columns={columnsFor(user.hasPassword)}
            rows={user.identities}
            keyOf={({ id }) => id}
          />
          <Note>
            One that is not yours? Unlink it and change your password: each of them opens this account.
          </Note>
        </>
      ) : (
        <Note>No account elsewhere is linked. With one you sign in without a password.</Note>
      )}
      {ways.oidc && user.identities.length === 0 && (
        <div>
          <LinkIdentity name={ways.oidc.name} hasPassword={user.hasPassword} />
        </div>
      )}
    </Section>
  );
}

function LinkIdentity({ name, hasPassword }: { name: string; hasPassword: boolean }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Link {name}</Button>
      {asking && (
        <WithPassword
          title={`Link ${name}`}
          words={`Whoever signs in with your account at ${name} enters this one.`}
          verb={`Go to ${name}`}
          hasPassword={hasPassword}
          onClose={() => setAsking(false)}
          act={async (given) => {
            const { url } = await people.startOidc({ body: { returnTo: '/console/account', ...given } });
            if (!isWebAddress(url)) throw new Error(`The address of ${name} is not one of the web.`);
            location.assign(url);
          }}
        />
      )}
    </>
  );
}

function Unlink({ identity: { id, issuer }, hasPassword }: { identity: Identity; hasPassword: boolean }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)} aria-label={`Unlink ${issuer}`}>
        Unlink
      </Button>
      {asking && (
        <WithPassword
          title={`Unlink ${issuer}?`}
          words="It opens this account no longer, and other sessions that began with a provider end."
          verb="Unlink identity"
          hasPassword={hasPassword}
          onClose={() => setAsking(false)}
          act={async (body) => {
            sessionIs(await people.unlinkIdentity({ identityId: id, body }));
            say('Identity unlinked');
          }}
        />
      )}
    </>
  );
}

/** Whoever changes how the account is entered shows the password; who has none has signed in just now. */
function WithPassword({
  title,
  words,
  verb,
  hasPassword,
  act,
  onClose,
}: {
  title: string;
  words: string;
  verb: string;
  hasPassword: boolean;
  act: (given: { currentPassword?: string }) => Promise<void>;
  onClose: () => void;
}) {
  const [currentPassword, setCurrentPassword] = useState('');
  const acting = useMutation({
    mutationFn: () => act(hasPassword ? { currentPassword } : {}),
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={title}
      verb={verb}
      busy={acting.isPending}
      error={acting.error}
      blocked={hasPassword && currentPassword === ''}
      onClose={onClose}
      onSubmit={() => acting.mutate()}
    >
      <p>{words}</p>
      {hasPassword && (
        <PasswordField label="Your password" value={currentPassword} onChange={setCurrentPassword} />
      )}
    </FormDialog>
  );
}
