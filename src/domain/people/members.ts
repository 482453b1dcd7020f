import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';
import { administratorNeeded } from '../access.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import { lastOwnerProblem } from '../identity/last-owner.ts';
import { pageBy } from '../paging.ts';
import { conflict } from '../refusals.ts';
import type { Verb } from '../verb.ts';
import { administers } from './keys.ts';
import { decidesAbout, ownerNeeded } from './link-makers.ts';

type Role = members.OrganizationRole;

export const listMembers: Verb<'listMembers'> = async (context, { organizationId, ...page }) =>
  pageBy(context, page, {
    scope: ['members', organizationId],
    placeOf: ({ userId }: members.SeenMemberRow) => [userId] as const,
    fetch: (after, most) => context.db.rows(members.page, { organizationId, after: after?.[0] ?? '', most }),
    // When somebody was here is for those who administer.
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
 * One change at a time within an organization: two owners who remove each other must not both succeed, and whoever was
 * removed while waiting decides about nobody.
 */
async function changeMember<T>(
  context: Context,
  organizationId: string,
  userId: string,
  change: (db: Db, member: members.SeenMemberRow, decider: Role) => Promise<T>,
): Promise<T> {
  return context.db.transaction(async (trx) => {
    await trx.rows(members.lineUp, { organizationId });
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
