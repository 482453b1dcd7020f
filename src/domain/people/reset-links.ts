import { Refusal } from '../../contract/errors.ts';
import * as identities from '../../platform/database/queries/identities.ts';
import * as members from '../../platform/database/queries/members.ts';
import { audit } from '../context/audit.ts';
import { configuredOrigin } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { addressOfLink, makeLink } from './links.ts';
import { mailLink } from './mail.ts';

/** Reports the member's linked identities, since a password reset does not revoke them. */
export const createResetLink: Verb<'createResetLink'> = async (
  context,
  { organizationId, memberId: userId },
) => {
  const { db, actor, clock } = context;
  const { member, link, linked } = await db.transaction(async (trx) => {
    await trx.rows(members.lockOrganization, { organizationId });
    const member = await trx.row(members.find, { organizationId, userId });
    if (!member) throw new Refusal('NOT_FOUND', 'No such member of this organization');
    const link = await makeLink(trx, { kind: 'reset', userId, organizationId }, actor.user.id, clock());
    const details = { email: member.email, link: link.id };
    await audit(trx, context, 'password.make-reset-link', userId, details);
    return { member, link, linked: await trx.rows(identities.list, { userId }) };
  });
  const url = addressOfLink(configuredOrigin(context), link.token);
  const mail = mailLink(context, {
    to: member.email,
    subject: 'Reset your Drydock password',
    lines: [
      `${actor.user.name} created a password reset link for you. Set a new password within the next hour:`,
      url,
    ],
  });
  return { url, ...mail, expiresAt: link.expiresAt, identities: linked };
};
