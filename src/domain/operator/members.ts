import type { Db } from '../../platform/database/database.ts';
import type { OrganizationRole } from '../../platform/database/queries/identity.ts';
import {
  listMembers as listOrganizationMembers,
  listProjectMembers,
  type MemberRow,
  organizationOfProject,
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
import { organizationNamed, userNamed } from './find.ts';

interface Place {
  organization?: string | undefined;
  /** A project id; then the membership is of the project. */
  project?: string | undefined;
}

const organizationRoles: readonly string[] = ['owner', 'admin', 'member'];
const projectRoles: readonly string[] = ['admin', 'member'];

export async function listMembers(db: Db, place: Place): Promise<MemberRow[]> {
  if (place.project !== undefined) {
    await organizationWith(db, place.project);
    return listProjectMembers(db, place.project);
  }
  return listOrganizationMembers(db, (await organizationNamed(db, place.organization)).id);
}

export async function setMember(db: Db, place: Place, input: { user: string; role: string }): Promise<void> {
  const user = await userNamed(db, input.user);
  const roles = place.project === undefined ? organizationRoles : projectRoles;
  if (!roles.includes(input.role))
    throw new OperatorProblem(`No role ${input.role}. There are: ${roles.join(', ')}`);
  if (place.project !== undefined) {
    const organizationId = await organizationWith(db, place.project);
    const members = await listOrganizationMembers(db, organizationId);
    if (!members.some((member) => member.userId === user.id))
      throw new OperatorProblem(`${user.email} is not a member of the project's organization`);
    return db.transaction(async (trx) => {
      if (!(await holdProject(trx, place.project as string))) throw noSuchProject(place.project as string);
      await setProjectMember(trx, place.project as string, user.id, input.role as 'admin' | 'member');
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
  const organizationId =
    place.project === undefined
      ? (await organizationNamed(db, place.organization)).id
      : await organizationWith(db, place.project);
  await db.transaction(async (trx) => {
    const gone =
      place.project === undefined
        ? await removeOrganizationMember(trx, organizationId, user.id)
        : await removeProjectMember(trx, place.project, user.id);
    if (gone === 0) throw new OperatorProblem(`${user.email} is not a member there`);
    await auditOperator(
      trx,
      place.project === undefined ? 'member.remove' : 'project-member.remove',
      user.id,
      organizationId,
    );
  });
}

async function organizationWith(db: Db, projectId: string): Promise<string> {
  const organizationId = await organizationOfProject(db, projectId);
  if (organizationId === undefined) throw noSuchProject(projectId);
  return organizationId;
}

function noSuchProject(projectId: string): OperatorProblem {
  return new OperatorProblem(`No project ${projectId}`);
}
