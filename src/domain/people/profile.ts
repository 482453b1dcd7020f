import type { Db } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import * as identities from '../../platform/database/queries/identities.ts';
import * as passwords from '../../platform/database/queries/passwords.ts';
import * as people from '../../platform/database/queries/people.ts';
import type { SessionContext } from '../context.ts';
import type { Verb } from '../verb.ts';
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
  // Who has come by a link alone could not sign in again.
  if (before === undefined && (await db.rows(identities.list, { userId })).length > 0)
    await confirmPresence(context, undefined);
  const hash = await hashPassword(body.newPassword);
  await db.transaction(async (trx) => {
    await trx.row(people.hold, { userId });
    // Of two who change it at once, the second has not given what is the password now.
    if ((await trx.row(passwords.ofUser, { userId }))?.hash !== before) throw wrongPassword();
    await setPassword(trx, userId, hash, person.sessionId);
    const details = { first: before === undefined };
    await auditPerson(trx, context, userId, { action: 'password.change', target: userId, details });
  });
  return mySession(context);
};

/**
 * Whoever knew the old one, or has an older link, is out: all sessions end but the one that goes on. Whoever calls
 * holds the account, so that none begins which this does not see.
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

/** Where mail is sent an address stays until somebody has opened the link that goes to the new one. */
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
