import type { Db } from '../../platform/database/database.ts';
import type { OrganizationRole } from '../../platform/database/queries/identity.ts';
import {
  listMembers as listOrganizationMembers,
  listProjectMembers,
  type MemberRow,
  removeOrganizationMember,
  setOrganizationMember,
} from '../../platform/database/queries/members.ts';
import {
  holdProject,
  removeProjectMember,
  setProjectMember,
} from '../../platform/database/queries/projects.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../audit.ts';
import { organizationNamed, projectNamed, userNamed } from './find.ts';

interface Place {
  organization?: string | undefined;
  /** By id or name; then the membership is of the project. */
  project?: string | undefined;
}

const organizationRoles: readonly string[] = ['owner', 'admin', 'member'];
const projectRoles: readonly string[] = ['admin', 'member'];

export async function listMembers(db: Db, place: Place): Promise<MemberRow[]> {
  if (place.project !== undefined) return listProjectMembers(db, (await projectNamed(db, place.project)).id);
  return listOrganizationMembers(db, (await organizationNamed(db, place.organization)).id);
}

export async function setMember(db: Db, place: Place, input: { user: string; role: string }): Promise<void> {
  const user = await userNamed(db, input.user);
  const roles = place.project === undefined ? organizationRoles : projectRoles;
  if (!roles.includes(input.role))
    throw new OperatorProblem(`No role ${input.role}. There are: ${roles.join(', ')}`);
  if (place.project !== undefined) {
    const { id: projectId, organizationId } = await projectNamed(db, place.project);
    const members = await listOrganizationMembers(db, organizationId);
    if (!members.some((member) => member.userId === user.id))
      throw new OperatorProblem(`${user.email} is not a member of the project's organization`);
    return db.transaction(async (trx) => {
      if (!(await holdProject(trx, projectId))) throw new OperatorProblem(`No project ${projectId}`);
      await setProjectMember(trx, projectId, user.id, input.role as 'admin' | 'member');
      await auditOperator(trx, 'project-member.set', user.id, organizationId);
    });
  }
  const { id } = await organizationNamed(db, place.organization);
  await db.transaction(async (trx) => {
    await setOrganizationMember(trx, id, user.id, input.role as OrganizationRole);
    await auditOperator(trx, 'member.set', user.id, id);
  });
}

export async function removeMember(db: Db, place: Place, idOrEmail: string): Promise<void> {
  const user = await userNamed(db, idOrEmail);
  const project = place.project === undefined ? undefined : await projectNamed(db, place.project);
  const organizationId = project?.organizationId ?? (await organizationNamed(db, place.organization)).id;
  await db.transaction(async (trx) => {
    const gone =
      project === undefined
        ? await removeOrganizationMember(trx, organizationId, user.id)
        : await removeProjectMember(trx, project.id, user.id);
    if (gone === 0) throw new OperatorProblem(`${user.email} is not a member there`);
    await auditOperator(
      trx,
      project === undefined ? 'member.remove' : 'project-member.remove',
      user.id,
      organizationId,
    );
  });
}
