import { type Db, violates } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import * as passwords from '../../platform/database/queries/passwords.ts';
import * as people from '../../platform/database/queries/people.ts';
import { conflict } from '../base/refusals.ts';
import { configuredOrigin, type PublicContext, type SessionContext } from '../context/context.ts';
import { signedOut } from '../identity/authenticate.ts';
import { enforceAttemptLimit } from './attempt-limits.ts';
import { auditPerson } from './audit.ts';
import { confirmPassword } from './confirm.ts';
import { addressOfLink, makeLink } from './links.ts';
import { sendMail } from './mail.ts';

/**
 * Mails a confirmation link to the new address. Password resets, invitations and OpenID claims all trust the email
 * address, so a change needs the password and proof that the new address is the user's.
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
  // Rate limit against flooding a mailbox.
  await enforceAttemptLimit(context, { kind: 'reset', of: email });
  const { token } = await db.transaction(async (trx) => {
    const details = { newEmail: email };
    await auditPerson(trx, context, userId, { action: 'user.request-email', target: userId, details });
    return makeLink(trx, { kind: 'email', userId, email }, userId, clock());
  });
  sendMail(context, {
    to: email,
    subject: 'Confirm your email address for Drydock',
    lines: [
      `${name} wants to use this address for an account. If that is you, confirm it within 24 hours, signed in to the account:`,
      addressOfLink(configuredOrigin(context), token),
      'If you did not request this, ignore this email.',
    ],
  });
}

/**
 * Changes the address without confirmation, where no mail is set up. Refuses an address with an open invitation,
 * since ownership of the new address is unproven.
 */
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
        'This email address has an open invitation. Ask an administrator to revoke the invitation, or use another address',
        'EMAIL_INVITED',
      );
    return setEmail(context, trx, person.user.id, email);
  });
  notifyOldAddress(context, before, email);
}

export interface OldAddress {
  email: string;
  name: string;
}

/** Sets the address, and invalidates links sent to the old one. */
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

export function notifyOldAddress(context: PublicContext, before: OldAddress, email: string): void {
  sendMail(context, {
    to: before.email,
    subject: 'Your email address for Drydock was changed',
    lines: [
      `The account ${before.name} now has the address ${email}.`,
      'If that was not you, tell an administrator of your organization.',
    ],
  });
}

async function mustHavePassword(context: SessionContext, currentPassword: string | undefined): Promise<void> {
  if ((await confirmPassword(context, currentPassword)) === undefined)
    throw conflict('Set a password before you change your email address', 'PASSWORD_NEEDED');
}

function taken() {
  return conflict('Another account has this email address', 'EMAIL_TAKEN');
}
