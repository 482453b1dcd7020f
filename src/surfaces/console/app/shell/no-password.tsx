import { Link } from '@tanstack/react-router';
import { useSignedIn } from '../api/session.ts';
import { Glyph } from '../kit/state.tsx';
import css from './shell.module.css';

/** Whoever came in by a link and has nothing to come back with is told so. */
export function NoPassword() {
  const user = useSignedIn()?.user;
  if (!user || user.hasPassword || user.identities.length > 0) return null;
  return (
    <div role="status" className={css.lost}>
      <Glyph state="attention" />
      <span>You came in by a link that works once, and have no password yet.</span>
      <Link to="/set-up">Choose one</Link>
    </div>
  );
}
