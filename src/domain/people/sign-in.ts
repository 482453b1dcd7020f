import { Refusal } from '../../contract/errors.ts';
import * as passwords from '../../platform/database/queries/passwords.ts';
import * as people from '../../platform/database/queries/people.ts';
import type { VisitorContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { enforcePasswordAttemptLimits, releaseAttempt } from './attempt-limits.ts';
import { auditPerson, visitor as byVisitor } from './audit.ts';
import { knownDevice, setSignInCookies } from './devices.ts';
import { isPassword, mustHaveRoom } from './passwords.ts';
import { beginSession, signedIn } from './session.ts';

/** Same response and duration for unknown addresses. */
export const signIn: Verb<'signIn'> = async (context, { body: { email, password } }) => {
  const { db, visitor } = context;
  // Checked first, so that an overload does not count as a failed attempt.
  mustHaveRoom();
  const account = await db.row(passwords.ofEmail, { email });
  // The stored spelling: the database may treat two spellings of an address as equal.
  const counted = account?.email ?? email;
  const attempt = { email: counted, address: visitor.address, device: knownDevice(context, account) };
  await enforcePasswordAttemptLimits(context, attempt);
  const hash = account?.hash ?? undefined;
  const right = await isPassword(password, hash);
  if (!right || !account) throw refusedFor(context, account?.userId);
  const { userId } = account;
  const { id, token } = await db.transaction(async (trx) => {
    await trx.row(people.hold, { userId });
    // The password changed during the comparison. That ended all sessions based on it, so this one must not begin.
    if ((await trx.row(passwords.ofUser, { userId }))?.hash !== hash) throw refusedFor(context, userId);
    return beginSession(context, trx, userId, 'password');
  });
  await releaseAttempt(context, attempt);
  await setSignInCookies(context, userId, token);
  return signedIn(context, userId, id);
};

/** Audits after the response, so that known accounts take no longer. */
function refusedFor(context: VisitorContext, userId: string | undefined): Refusal {
  const details = { address: context.visitor.address };
  if (userId !== undefined)
    context.afterwards(() => {
      const event = { action: 'session.refuse', target: userId, actor: byVisitor, details };
      auditPerson(context.db, context, userId, event).catch((error: unknown) =>
        context.log.error('Refused sign-in could not be recorded', { requestId: context.requestId }, error),
      );
    });
  return new Refusal('UNAUTHORIZED', 'The email address or the password is wrong', {
    details: { reason: 'WRONG_PASSWORD' },
  });
}
