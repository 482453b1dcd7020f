import { setTimeout as pause } from 'node:timers/promises';
import * as passwords from '../../platform/database/queries/passwords.ts';
import { configuredOrigin, type VisitorContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { countAttempt, enforceAttemptLimit } from './attempt-limits.ts';
import { auditPerson, visitor as byVisitor } from './audit.ts';
import { addressOfLink, makeLink } from './links.ts';
import { requireLinkMail, sendMail } from './mail.ts';

/** Minimum response time in milliseconds; longer than the work done for an existing address. */
const minDuration = 150;

/** Same response and duration whether or not the address exists. */
export const requestReset: Verb<'requestReset'> = async (context, { body: { email } }) => {
  await enforceAttemptLimit(context, { kind: 'address', of: context.visitor.address });
  const mail = requireLinkMail(context);
  await Promise.all([remember(context, email, mail), pause(minDuration)]);
  return { mail };
};

/** Audited, so that administrators see the request even if no mail is set up. */
async function remember(context: VisitorContext, email: string, mail: boolean): Promise<void> {
  const { db, clock } = context;
  const account = await db.row(passwords.ofEmail, { email });
  const paused = await countAttempt(context, { kind: 'reset', of: account?.email ?? email });
  if (!account || paused !== undefined) return;
  const { userId } = account;
  const link = await db.transaction(async (trx) => {
    const details = { address: context.visitor.address };
    const event = { action: 'password.request-reset', target: userId, actor: byVisitor, details };
    await auditPerson(trx, context, userId, event);
    return mail ? makeLink(trx, { kind: 'reset', userId }, userId, clock()) : undefined;
  });
  if (link)
    sendMail(context, {
      to: account.email,
      subject: 'Reset your Drydock password',
      lines: [
        'A password reset was requested for your account. Set a new password within the next hour:',
        addressOfLink(configuredOrigin(context), link.token),
        'If you did not request it, ignore this email. Your password has not changed.',
      ],
    });
}
