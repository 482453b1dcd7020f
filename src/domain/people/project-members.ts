import { Refusal } from '../../contract/errors.ts';
import * as members from '../../platform/database/queries/members.ts';
import { pageBy } from '../base/paging.ts';
import { notFound } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';

export const listProjectMembers: Verb<'listProjectMembers'> = async (context, { projectId, ...page }) =>
  pageBy(context, page, {
    scope: ['project members', projectId],
    placeOf: ({ userId }: members.ProjectMemberRow) => [userId] as const,
    fetch: (after, most) =>
      context.db.rows(members.pageOfProject, {
        organizationId: context.actor.organization.id,
        projectId,
        after: after?.[0] ?? '',
        most,
      }),
    present: (row) => row,
  });

export const setProjectMember: Verb<'setProjectMember'> = async (context, { memberId: userId, body }) => {
  const { role } = body;
  return writeInProject(context, async (trx) => {
    const member = await trx.row(members.find, placeOf(context, userId));
    if (!member) throw new Refusal('NOT_FOUND', 'No such member of the organization of this project');
    const { email, name } = member;
    const place = { projectId: context.project.id, userId };
    const before = await trx.row(members.findInProject, place);
    await trx.run(members.setInProject, { ...place, role });
    const details = { email, oldRole: before?.role ?? null, newRole: role };
    await audit(trx, context, `project-member.make-${role}`, userId, details);
    // Administrators of the organization administer all its projects, whatever their project role.
    return { userId, email, name, role: member.role === 'member' ? role : 'admin', invited: true };
  });
};

export const removeProjectMember: Verb<'removeProjectMember'> = async (
  context,
  { projectMemberId: userId },
) =>
  writeInProject(context, async (trx) => {
    const place = { projectId: context.project.id, userId };
    const before = await trx.row(members.findInProject, place);
    if (!before || (await trx.run(members.removeFromProject, place)) === 0) throw notFound('invited member');
    await audit(trx, context, 'project-member.remove', userId, before);
    return { userId, removed: true as const };
  });

function placeOf({ actor }: ProjectContext, userId: string): { organizationId: string; userId: string } {
  return { organizationId: actor.organization.id, userId };
}
