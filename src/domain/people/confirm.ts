import { Refusal } from '../../contract/errors.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import * as passwords from '../../platform/database/queries/passwords.ts';
import type { SessionContext } from '../context.ts';
import { brakeAttempt, releaseAttempt } from './brakes.ts';
import { isPassword } from './passwords.ts';

/** Milliseconds for which somebody who has signed in need not show again that it is them. */
const recently = 600_000;

/** The hash of the password that was shown; undefined where there is none. A wrong one is refused. */
export async function confirmPassword(
  context: SessionContext,
  password: string | undefined,
): Promise<string | undefined> {
  const { db, person, visitor } = context;
  const { id: userId, email } = person.user;
  const hash = (await db.row(passwords.ofUser, { userId }))?.hash;
  if (hash === undefined) return undefined;
  if (password === undefined) throw wrongPassword();
  // Whoever is signed in has attempts of their own, which strangers cannot use up.
  const attempt = { email, address: visitor.address, device: `${userId} signed in` };
  await brakeAttempt(context, attempt);
  if (!(await isPassword(password, hash))) throw wrongPassword();
  await releaseAttempt(context, attempt);
  return hash;
}

/** A session that somebody else found open must not make another way in: the password is shown, or was used just now. */
export async function confirmPresence(context: SessionContext, password: string | undefined): Promise<void> {
  if (password !== undefined && (await confirmPassword(context, password)) !== undefined) return;
  const { db, person, clock } = context;
  const began = (await db.row(sessions.began, { id: person.sessionId }))?.at ?? 0;
  if (clock() - began < recently) return;
  throw new Refusal('FORBIDDEN', 'Sign in again before, or send your password as currentPassword', {
    details: { reason: 'CONFIRM' },
  });
}

export function wrongPassword(): Refusal {
  return new Refusal('FORBIDDEN', 'currentPassword: Not your password', {
    details: { reason: 'WRONG_PASSWORD' },
  });
}
