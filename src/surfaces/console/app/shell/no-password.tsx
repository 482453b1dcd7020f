import { Link } from '@tanstack/react-router';
import { useSignedIn } from '../api/session.ts';
import { Glyph } from '../kit/state.tsx';
import css from './shell.module.css';

export function NoPassword() {
  const user = useSignedIn()?.user;
  if (!user || user.hasPassword || user.identities.length > 0) return null;
  return (
    <div role="status" className={css.lost}>
      <Glyph state="attention" />
      <span>You signed in with a one-time link.</span>
      <Link to="/set-up">Set a password</Link>
    </div>
  );
}
