import { type Db, statement } from '../database.ts';
import type { OrganizationRole } from './identity.ts';

export interface MemberRow {
  userId: string;
  email: string;
  name: string;
  role: string;
}

const members = statement<MemberRow>(
  'members.members',
  `select m.user_id as "userId", u.email, u.name, m.role from organization_members m join users u on u.id = m.user_id
   where m.organization_id = $1 order by m.user_id`,
);

const projectMembers = statement<MemberRow>(
  'members.project-members',
  `select m.user_id as "userId", u.email, u.name, m.role from project_members m join users u on u.id = m.user_id
   where m.project_id = $1 order by m.user_id`,
);

const setMember = statement(
  'members.set-member',
  `insert into organization_members (organization_id, user_id, role) values ($1, $2, $3)
   on conflict (organization_id, user_id) do update set role = excluded.role`,
);

const removeMember = statement(
  'members.remove-member',
  'delete from organization_members where organization_id = $1 and user_id = $2',
);

const leaveProjects = statement(
  'members.leave-projects',
  `delete from project_members m using projects p
   where p.id = m.project_id and p.organization_id = $1 and m.user_id = $2`,
);

const orphanKeys = statement(
  'members.orphan-keys',
  'update api_keys set organization_id = null where organization_id = $1 and user_id = $2',
);

const projectOrganization = statement<{ organizationId: string }>(
  'members.project-organization',
  'select organization_id as "organizationId" from projects where id = $1 and deleted_at is null',
);

export function listMembers(db: Db, organizationId: string): Promise<MemberRow[]> {
  return db.rows(members, [organizationId]);
}

export function listProjectMembers(db: Db, projectId: string): Promise<MemberRow[]> {
  return db.rows(projectMembers, [projectId]);
}

export async function setOrganizationMember(
  db: Db,
  organizationId: string,
  userId: string,
  role: OrganizationRole,
): Promise<void> {
  await db.run(setMember, [organizationId, userId, role]);
}

/** Takes the user out of the organization and its projects; the keys stay as orphans. */
export async function removeOrganizationMember(
  db: Db,
  organizationId: string,
  userId: string,
): Promise<number> {
  await db.run(leaveProjects, [organizationId, userId]);
  await db.run(orphanKeys, [organizationId, userId]);
  return db.run(removeMember, [organizationId, userId]);
}

export async function organizationOfProject(db: Db, projectId: string): Promise<string | undefined> {
  return (await db.row(projectOrganization, [projectId]))?.organizationId;
}
