import { type Db, violates } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import * as passwords from '../../platform/database/queries/passwords.ts';
import * as people from '../../platform/database/queries/people.ts';
import { configuredOrigin, type PublicContext, type SessionContext } from '../context.ts';
import { signedOut } from '../identity/authenticate.ts';
import { conflict } from '../refusals.ts';
import { auditPerson } from './audit.ts';
import { brake } from './brakes.ts';
import { confirmPassword } from './confirm.ts';
import { addressOfLink, makeLink } from './links.ts';
import { sendMail } from './mail.ts';

/**
 * An address is where links to a new password go, and what invitations and the word of a provider are compared with. So
 * whoever changes it shows their password, and that the new one is theirs as far as this installation can tell.
 */
export async function mailConfirmation(
  context: SessionContext,
  email: string,
  currentPassword: string | undefined,
): Promise<void> {
  const { db, person, clock } = context;
  const { id: userId, name } = person.user;
  await mustHavePassword(context, currentPassword);
  if (await db.row(passwords.ofEmail, { email })) throw taken();
  // Nobody's mailbox is filled.
  await brake(context, { kind: 'reset', of: email });
  const { token } = await db.transaction(async (trx) => {
    const details = { newEmail: email };
    await auditPerson(trx, context, userId, { action: 'user.request-email', target: userId, details });
    return makeLink(trx, { kind: 'email', userId, email }, userId, clock());
  });
  sendMail(context, {
    to: email,
    subject: 'Confirm your e-mail address for Drydock',
    lines: [
      `${name} wants to use this address for an account. If that is you, confirm it within 24 hours, signed in to the account:`,
      addressOfLink(configuredOrigin(context), token),
      'If it is not you, there is nothing to do.',
    ],
  });
}

/** Without mail nothing shows whose the address is, so it may not be one that somebody else was given something by. */
export async function changeUnconfirmed(
  context: SessionContext,
  email: string,
  currentPassword: string | undefined,
): Promise<void> {
  const { db, person } = context;
  await mustHavePassword(context, currentPassword);
  const before = await db.transaction(async (trx) => {
    if ((await trx.rows(links.invitationsFor, { email })).length > 0)
      throw conflict(
        'Somebody is invited with this e-mail address. Have the invitation taken back, or use another address',
        'EMAIL_INVITED',
      );
    return setEmail(context, trx, person.user.id, email);
  });
  tellOldAddress(context, before, email);
}

export interface OldAddress {
  email: string;
  name: string;
}

/** Links that went to the address before stop working. */
export async function setEmail(
  context: PublicContext,
  db: Db,
  userId: string,
  email: string,
): Promise<OldAddress> {
  const before = await db.row(people.hold, { userId });
  if (!before) throw signedOut();
  await db.run(people.update, { userId, name: null, email }).catch((error: unknown) => {
    throw violates(error, 'users_email') ? taken() : error;
  });
  await db.run(links.endOf, { userId });
  const details = { oldEmail: before.email, newEmail: email };
  await auditPerson(db, context, userId, { action: 'user.change-email', target: userId, details });
  return before;
}

export function tellOldAddress(context: PublicContext, before: OldAddress, email: string): void {
  sendMail(context, {
    to: before.email,
    subject: 'Your e-mail address for Drydock was changed',
    lines: [
      `The account ${before.name} now has the address ${email}.`,
      'If that was not you, tell an administrator of your organization.',
    ],
  });
}

async function mustHavePassword(context: SessionContext, currentPassword: string | undefined): Promise<void> {
  if ((await confirmPassword(context, currentPassword)) === undefined)
    throw conflict('Choose a password before you change your e-mail address', 'PASSWORD_NEEDED');
}

function taken() {
  return conflict('Another account has this e-mail address', 'EMAIL_TAKEN');
}
