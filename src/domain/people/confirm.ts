import { Refusal } from '../../contract/errors.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import * as passwords from '../../platform/database/queries/passwords.ts';
import type { SessionContext } from '../context/context.ts';
import { enforcePasswordAttemptLimits, releaseAttempt } from './attempt-limits.ts';
import { isPassword } from './passwords.ts';

/** Milliseconds after sign-in during which no new confirmation is needed. */
const recently = 600_000;

/** Checks the password and returns its hash. Undefined if the account has none; throws if the password is wrong. */
export async function confirmPassword(
  context: SessionContext,
  password: string | undefined,
): Promise<string | undefined> {
  const { db, person, visitor } = context;
  const { id: userId, email } = person.user;
  const hash = (await db.row(passwords.ofUser, { userId }))?.hash;
  if (hash === undefined) return undefined;
  if (password === undefined) throw wrongPassword();
  // Signed-in users have a separate attempt counter, which strangers cannot exhaust.
  const attempt = { email, address: visitor.address, device: `${userId} signed in` };
  await enforcePasswordAttemptLimits(context, attempt);
  if (!(await isPassword(password, hash))) throw wrongPassword();
  await releaseAttempt(context, attempt);
  return hash;
}

/**
 * Requires the password, or a recent sign-in, before adding a sign-in method, so that an unattended session cannot be
 * used to add one.
 */
export async function confirmPresence(context: SessionContext, password: string | undefined): Promise<void> {
  if (password !== undefined && (await confirmPassword(context, password)) !== undefined) return;
  const { db, person, clock } = context;
  const began = (await db.row(sessions.began, { id: person.sessionId }))?.at ?? 0;
  if (clock() - began < recently) return;
  throw new Refusal('FORBIDDEN', 'Sign in again first, or send your password as currentPassword', {
    details: { reason: 'CONFIRM' },
  });
}

export function wrongPassword(): Refusal {
  return new Refusal('FORBIDDEN', 'currentPassword: Not your password', {
    details: { reason: 'WRONG_PASSWORD' },
  });
}
