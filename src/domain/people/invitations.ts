import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as organizations from '../../platform/database/queries/organizations.ts';
import { pageById } from '../base/paging.ts';
import { conflict } from '../base/refusals.ts';
import { audit } from '../context/audit.ts';
import { type Context, configuredOrigin } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { decidesAbout, isStillAllowed, ownerNeeded } from './link-makers.ts';
import { addressOfLink, makeLink } from './links.ts';
import { mailLink } from './mail.ts';

export const listInvitations: Verb<'listInvitations'> = async (context, { organizationId, ...page }) =>
  pageById(
    context,
    ['invitations', organizationId],
    page,
    (after, most) => context.db.rows(links.invitations, { organizationId, after, most }),
    presentInvitation,
  );

export const createInvitation: Verb<'createInvitation'> = async (context, { organizationId, body }) => {
  const { db, actor, clock, trust } = context;
  const { email, role } = body;
  const link = await db.transaction(async (trx) => {
    if (await trx.row(members.withEmail, { organizationId, email }))
      throw conflict(`${email} is already a member`, 'ALREADY_MEMBER');
    // The lock serializes concurrent invitations of one address; the later one replaces the earlier.
    await trx.rows(members.lockOrganization, { organizationId });
    const open = await trx.rows(links.invitationsFor, { email });
    const before = open.find((one) => one.organizationId === organizationId);
    if (before) await mayWithdraw(trx, context, before);
    await trx.run(links.replaceInvitation, { organizationId, email });
    const made = await makeLink(
      trx,
      { kind: 'invitation', email, organizationId, role },
      actor.user.id,
      clock(),
    );
    const details = { email, role, replaces: before?.id ?? null };
    await audit(trx, context, 'invitation.create', made.id, details);
    return made;
  });
  const { id, createdAt, expiresAt } = link;
  const url = addressOfLink(configuredOrigin(context), link.token);
  const organization = (await db.row(organizations.find, { id: organizationId }))?.name ?? '';
  const mail = mailLink(context, {
    to: email,
    subject: `You are invited to ${organization} on Drydock`,
    lines: [
      `${actor.user.name} (${actor.user.email}) invites you to ${organization}. Accept within seven days:`,
      url,
      'The link works only once. Do not share it.',
    ],
  });
  const { name, email: inviter } = actor.user;
  const warning = await trust.restrictionsForSecondUser();
  const invitedBy = { id: actor.user.id, email: inviter, name };
  return {
    invitation: { id, email, role, invitedBy, createdAt, expiresAt },
    url,
    ...mail,
    expiresAt,
    ...(warning !== undefined && { warning }),
  };
};

export const revokeInvitation: Verb<'revokeInvitation'> = async (
  context,
  { organizationId, invitationId: id },
) => {
  await context.db.transaction(async (trx) => {
    const open = await trx.row(links.findInvitation, { organizationId, id });
    if (open) await mayWithdraw(trx, context, open);
    if (!open || (await trx.run(links.revokeInvitation, { organizationId, id })) === 0)
      throw new Refusal('NOT_FOUND', 'No such invitation, or it was accepted');
    const { email, role } = open;
    await audit(trx, context, 'invitation.revoke', id, { email, role });
  });
  return { id, revoked: true };
};

/** Only owners may withdraw an owner's invitation, unless it is void because its creator has lost the permission. */
async function mayWithdraw(db: Db, { actor }: Context, link: links.LinkRow): Promise<void> {
  if (link.role !== null && !decidesAbout(actor.role, link.role) && (await isStillAllowed(db, link)))
    throw ownerNeeded();
}

function presentInvitation(row: links.InvitationRow) {
  const { id, email, role, inviterId, inviterEmail, inviterName, createdAt, expiresAt } = row;
  const invitedBy = { id: inviterId, email: inviterEmail, name: inviterName };
  return { id, email, role, invitedBy, createdAt, expiresAt };
}
