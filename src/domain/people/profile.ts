import { Refusal } from '../../contract/errors.ts';
import { type Db, violates } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import * as passwords from '../../platform/database/queries/passwords.ts';
import * as people from '../../platform/database/queries/people.ts';
import type { SessionContext } from '../context.ts';
import { conflict } from '../refusals.ts';
import type { Verb } from '../verb.ts';
import { auditPerson } from './audit.ts';
import { brake, release } from './brakes.ts';
import { checkPassword, hashPassword, isPassword } from './passwords.ts';
import { mySession } from './session.ts';

export const changePassword: Verb<'changePassword'> = async (context, { body }) => {
  const { db, person } = context;
  const { id: userId, email } = person.user;
  checkPassword(body.newPassword, email);
  const before = await confirmed(context, body.currentPassword);
  const hash = await hashPassword(body.newPassword);
  await db.transaction(async (trx) => {
    // Of two who change it at once, the second has not given what is the password now.
    if ((await trx.row(passwords.hold, { userId }))?.hash !== before) throw wrongPassword();
    await setPassword(trx, userId, hash, person.sessionId);
    await auditPerson(trx, context, userId, 'password.change', userId);
  });
  return mySession(context);
};

/** Whoever knew the old one, or has an older link, is out: all sessions end but the one that goes on. */
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

/**
 * An address is where links to a new password go, and what a provider's word about somebody is compared with, so whoever
 * changes it shows their password.
 */
export const updateProfile: Verb<'updateProfile'> = async (context, { body }) => {
  const { db, person } = context;
  const { id: userId } = person.user;
  const { name = null, currentPassword } = body;
  const email = body.email === person.user.email ? null : (body.email ?? null);
  if (email !== null && (await confirmed(context, currentPassword)) === undefined)
    throw conflict('Choose a password before you change your e-mail address', 'PASSWORD_NEEDED');
  await db
    .transaction(async (trx) => {
      await trx.run(people.update, { userId, name, email });
      await auditPerson(trx, context, userId, email === null ? 'user.update' : 'user.change-email', userId);
    })
    .catch((error: unknown) => {
      if (violates(error, 'users_email'))
        throw conflict('Another account has this e-mail address', 'EMAIL_TAKEN');
      throw error;
    });
  return mySession(context);
};

/** The hash of the password that was shown; undefined where there is none. A wrong one is refused. */
async function confirmed(context: SessionContext, password: string | undefined): Promise<string | undefined> {
  const { db, person, visitor } = context;
  const { id: userId, email } = person.user;
  const hash = (await db.row(passwords.ofUser, { userId }))?.hash;
  if (hash === undefined) return undefined;
  if (password === undefined) throw wrongPassword();
  await brake(context, { kind: 'address', of: visitor.address }, { kind: 'email', of: email });
  if (!(await isPassword(password, hash))) throw wrongPassword();
  await release(context, email, visitor.address);
  return hash;
}

function wrongPassword(): Refusal {
  return new Refusal('FORBIDDEN', 'currentPassword: Not your password', {
    details: { reason: 'WRONG_PASSWORD' },
  });
}
