import type { Db } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import * as identities from '../../platform/database/queries/identities.ts';
import * as passwords from '../../platform/database/queries/passwords.ts';
import * as people from '../../platform/database/queries/people.ts';
import type { SessionContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { auditPerson } from './audit.ts';
import { confirmPassword, confirmPresence, wrongPassword } from './confirm.ts';
import { changeUnconfirmed, mailConfirmation } from './email.ts';
import { requireLinkMail } from './mail.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import { mySession } from './session.ts';

export const changePassword: Verb<'changePassword'> = async (context, { body }) => {
  const { db, person } = context;
  const { id: userId, email } = person.user;
  checkPassword(body.newPassword, email);
  const before = await confirmPassword(context, body.currentPassword);
  // An account without a password but with linked identities requires a recent sign-in. An account without either
  // could not sign in again.
  if (before === undefined && (await db.rows(identities.list, { userId })).length > 0)
    await confirmPresence(context, undefined);
  const hash = await hashPassword(body.newPassword);
  await db.transaction(async (trx) => {
    await trx.row(people.hold, { userId });
    // The password changed concurrently, so the confirmed one is no longer current.
    if ((await trx.row(passwords.ofUser, { userId }))?.hash !== before) throw wrongPassword();
    await setPassword(trx, userId, hash, person.sessionId);
    const details = { first: before === undefined };
    await auditPerson(trx, context, userId, { action: 'password.change', target: userId, details });
  });
  return mySession(context);
};

/**
 * Sets the password, and ends all other sessions and links, so that anyone with the old password or a link is locked
 * out. The caller must hold the account lock, so that no session begins unseen.
 */
export async function setPassword(
  db: Db,
  userId: string,
  hash: string,
  sessionId: string | null,
): Promise<void> {
  await db.run(passwords.set, { userId, hash });
  await db.run(sessions.endOthers, { userId, id: sessionId });
  await db.run(links.endOf, { userId });
}

/** If mail is set up, the address changes only after the link sent to the new one is opened. */
export const updateProfile: Verb<'updateProfile'> = async (context, { body }) => {
  const { name, email, currentPassword } = body;
  const changed = email === undefined || email === context.person.user.email ? undefined : email;
  const mail = changed !== undefined && requireLinkMail(context);
  if (changed !== undefined)
    await (mail ? mailConfirmation : changeUnconfirmed)(context, changed, currentPassword);
  if (name !== undefined) await rename(context, name);
  return { ...(await mySession(context)), confirmationSentTo: (mail && changed) || null };
};

async function rename(context: SessionContext, name: string): Promise<void> {
  const { db, person } = context;
  const { id: userId } = person.user;
  await db.transaction(async (trx) => {
    const before = await trx.row(people.hold, { userId });
    await trx.run(people.update, { userId, name, email: null });
    const details = { oldName: before?.name ?? null, newName: name };
    await auditPerson(trx, context, userId, { action: 'user.update', target: userId, details });
  });
}
