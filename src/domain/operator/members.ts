import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import type { OrganizationRole } from '../../platform/database/queries/visibility.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../context/audit.ts';
import { lastOwnerProblem } from '../identity/last-owner.ts';
import { organizationNamed, projectNamed, userNamed } from './find.ts';

interface Place {
  organization?: string | undefined;
  /** ID or name; if set, the membership is of the project. */
  project?: string | undefined;
}

const organizationRoles: readonly string[] = ['owner', 'admin', 'member'];
const projectRoles: readonly string[] = ['admin', 'member'];

export async function listMembers(db: Db, place: Place): Promise<members.MemberRow[]> {
  if (place.project !== undefined) {
    const { id: projectId } = await projectNamed(db, place.project);
    return db.rows(members.listInProject, { projectId });
  }
  const { id: organizationId } = await organizationNamed(db, place.organization);
  return db.rows(members.list, { organizationId });
}

export async function setMember(db: Db, place: Place, input: { user: string; role: string }): Promise<void> {
  const user = await userNamed(db, input.user);
  const roles = place.project === undefined ? organizationRoles : projectRoles;
  if (!roles.includes(input.role))
    throw new OperatorProblem(`No role ${input.role}. Available: ${roles.join(', ')}`);
  if (place.project !== undefined) {
    const { id: projectId, organizationId } = await projectNamed(db, place.project);
    const known = await db.rows(members.list, { organizationId });
    if (!known.some(({ userId }) => userId === user.id))
      throw new OperatorProblem(`${user.email} is not a member of the project's organization`);
    return db.transaction(async (trx) => {
      if (!(await trx.row(projects.hold, { id: projectId })))
        throw new OperatorProblem(`No project ${projectId}`);
      const role = input.role as 'admin' | 'member';
      await trx.run(members.setInProject, { projectId, userId: user.id, role });
      const details = { email: user.email, projectId, newRole: role };
      await auditOperator(trx, 'project-member.set', user.id, organizationId, details);
    });
  }
  const { id: organizationId } = await organizationNamed(db, place.organization);
  await db.transaction(async (trx) => {
    const role = input.role as OrganizationRole;
    if (role !== 'owner') await keepAnOwner(trx, { organizationId, userId: user.id });
    const before = await trx.row(members.find, { organizationId, userId: user.id });
    await trx.run(members.set, { organizationId, userId: user.id, role });
    const details = { email: user.email, oldRole: before?.role ?? null, newRole: role };
    await auditOperator(trx, 'member.set', user.id, organizationId, details);
  });
}

export async function removeMember(db: Db, place: Place, idOrEmail: string): Promise<void> {
  const user = await userNamed(db, idOrEmail);
  const project = place.project === undefined ? undefined : await projectNamed(db, place.project);
  const organizationId = project?.organizationId ?? (await organizationNamed(db, place.organization)).id;
  await db.transaction(async (trx) => {
    if (project === undefined) await keepAnOwner(trx, { organizationId, userId: user.id });
    const gone =
      project === undefined
        ? await members.remove(trx, { organizationId, userId: user.id })
        : await trx.run(members.removeFromProject, { projectId: project.id, userId: user.id });
    if (gone === 0) throw new OperatorProblem(`${user.email} is not a member there`);
    await auditOperator(
      trx,
      project === undefined ? 'member.remove' : 'project-member.remove',
      user.id,
      organizationId,
      { email: user.email, projectId: project?.id ?? null },
    );
  });
}

export async function keepAnOwner(
  db: Db,
  leaving: { organizationId: string | null; userId: string },
): Promise<void> {
  const problem = await lastOwnerProblem(db, leaving);
  if (problem === undefined) return;
  throw new OperatorProblem(
    `${problem}: drydock members set, or delete the organization: drydock orgs delete`,
  );
}
