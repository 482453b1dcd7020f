import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';
import type { OrganizationRole } from '../../platform/database/queries/visibility.ts';
import { pageBy } from '../base/paging.ts';
import { conflict } from '../base/refusals.ts';
import { administratorNeeded } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { lastOwnerProblem } from '../identity/last-owner.ts';
import { administers } from './keys.ts';
import { decidesAbout, ownerNeeded } from './link-makers.ts';

type Role = OrganizationRole;

export const listMembers: Verb<'listMembers'> = async (context, { organizationId, ...page }) =>
  pageBy(context, page, {
    scope: ['members', organizationId],
    placeOf: ({ userId }: members.SeenMemberRow) => [userId] as const,
    fetch: (after, most) => context.db.rows(members.page, { organizationId, after: after?.[0] ?? '', most }),
    // Only administrators see `lastSeenAt`.
    present: (row) => (administers(context) ? row : { ...row, lastSeenAt: null }),
  });

export const setMember: Verb<'setMember'> = async (context, { organizationId, memberId: userId, body }) => {
  const { role } = body;
  return changeMember(context, organizationId, userId, async (trx, member, decider) => {
    if (!decidesAbout(decider, role)) throw ownerNeeded();
    if (role !== 'owner') await keepAnOwner(trx, { organizationId, userId });
    await trx.run(members.set, { organizationId, userId, role });
    const details = { email: member.email, oldRole: member.role, newRole: role };
    await audit(trx, context, `member.make-${role}`, userId, details);
    return { ...member, role };
  });
};

export const removeMember: Verb<'removeMember'> = async (context, { organizationId, memberId: userId }) =>
  changeMember(context, organizationId, userId, async (trx, member) => {
    await keepAnOwner(trx, { organizationId, userId });
    await members.remove(trx, { organizationId, userId });
    await audit(trx, context, 'member.remove', userId, { email: member.email, role: member.role });
    return { userId, removed: true as const };
  });

/**
 * Changes one member at a time per organization. Otherwise two owners could remove each other, and a member removed
 * meanwhile could still decide.
 */
async function changeMember<T>(
  context: Context,
  organizationId: string,
  userId: string,
  change: (db: Db, member: members.SeenMemberRow, decider: Role) => Promise<T>,
): Promise<T> {
  return context.db.transaction(async (trx) => {
    await trx.rows(members.lockOrganization, { organizationId });
    const member = await trx.row(members.find, { organizationId, userId });
    if (!member) throw new Refusal('NOT_FOUND', 'No such member of this organization');
    const decider = (await trx.row(members.find, { organizationId, userId: context.actor.user.id }))?.role;
    if (decider === undefined || decider === 'member') throw administratorNeeded();
    if (!decidesAbout(decider, member.role)) throw ownerNeeded();
    return change(trx, member, decider);
  });
}

async function keepAnOwner(db: Db, member: { organizationId: string; userId: string }): Promise<void> {
  const problem = await lastOwnerProblem(db, member);
  if (problem !== undefined) throw conflict(problem, 'LAST_OWNER');
}
