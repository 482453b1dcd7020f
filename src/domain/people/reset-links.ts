import { Refusal } from '../../contract/errors.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as people from '../../platform/database/queries/people.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import type { Verb } from '../verb.ts';
import { addressOfLink, makeLink } from './links.ts';
import { sendMail } from './mail.ts';
import { mayChange, noMember } from './members.ts';

export const createResetLink: Verb<'createResetLink'> = async (
  context,
  { organizationId, memberId: userId },
) => {
  const { db, actor, clock } = context;
  const member = await db.row(members.find, { organizationId, userId });
  if (!member) throw noMember();
  mayChange(context, member);
  await mustNotReachFurther(context, userId);
  const { token, expiresAt } = await db.transaction(async (trx) => {
    const made = await makeLink(trx, { kind: 'reset', userId }, actor.user.id, clock());
    await audit(trx, context, 'password.make-reset-link', userId);
    return made;
  });
  const url = addressOfLink(context.origin(), token);
  const mailed = sendMail(context, {
    to: member.email,
    subject: 'A new password for Drydock',
    lines: [`${actor.user.name} made a link for you. Choose a new password within the next hour:`, url],
  });
  return { url, mailed, expiresAt };
};

/**
 * Whoever has the link becomes that account, so it must open no more than what the maker administers: not another
 * organization, and not the installation.
 */
async function mustNotReachFurther({ db, actor }: Context, userId: string): Promise<void> {
  const maker = await db.row(people.find, { userId: actor.user.id });
  if (maker?.operator || userId === actor.user.id) return;
  const member = await db.row(people.find, { userId });
  const memberships = await db.rows(people.organizations, { userId });
  if (!member?.operator && memberships.length === 1) return;
  throw new Refusal(
    'FORBIDDEN',
    'This account reaches further than your organization. An operator can make the link, or: drydock console link --user',
    { details: { reason: 'OPERATOR_NEEDED' } },
  );
}
