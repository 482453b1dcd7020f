import { oneOf, type RowOf, text } from '../columns.ts';
import type { Db } from '../database.ts';
import { query } from '../query.ts';

const roles = oneOf<'owner' | 'admin' | 'member'>();
export type OrganizationRole = RowOf<{ role: typeof roles }>['role'];
const member = { userId: text, email: text, name: text, role: text };
export type MemberRow = RowOf<typeof member>;

const ofOrganization = { organizationId: text, userId: text };
const ofProject = { projectId: text, userId: text };

export const list = query(
  'members.list',
  `select m.user_id as "userId", u.email, u.name, m.role from organization_members m join users u on u.id = m.user_id
   where m.organization_id = :organizationId order by m.user_id`,
  { organizationId: text },
  member,
);
export const listInProject = query(
  'members.list-in-project',
  `select m.user_id as "userId", u.email, u.name, m.role from project_members m join users u on u.id = m.user_id
   where m.project_id = :projectId order by m.user_id`,
  { projectId: text },
  member,
);
export const set = query(
  'members.set',
  `insert into organization_members (organization_id, user_id, role) values (:organizationId, :userId, :role)
   on conflict (organization_id, user_id) do update set role = excluded.role`,
  { ...ofOrganization, role: roles },
);
export const setInProject = query(
  'members.set-in-project',
  `insert into project_members (project_id, user_id, role) values (:projectId, :userId, :role)
   on conflict (project_id, user_id) do update set role = excluded.role`,
  { ...ofProject, role: oneOf<'admin' | 'member'>() },
);
export const removeFromProject = query(
  'members.remove-from-project',
  'delete from project_members where project_id = :projectId and user_id = :userId',
  ofProject,
);

const removeMember = query(
  'members.remove',
  'delete from organization_members where organization_id = :organizationId and user_id = :userId',
  ofOrganization,
);
const leaveProjects = query(
  'members.leave-projects',
  `delete from project_members m using projects p
   where p.id = m.project_id and p.organization_id = :organizationId and m.user_id = :userId`,
  ofOrganization,
);
const orphanKeys = query(
  'members.orphan-keys',
  'update api_keys set organization_id = null where organization_id = :organizationId and user_id = :userId',
  ofOrganization,
);

/** Takes the user out of the organization and its projects; the keys stay as orphans. */
export async function remove(db: Db, member: RowOf<typeof ofOrganization>): Promise<number> {
  await db.run(leaveProjects, member);
  await db.run(orphanKeys, member);
  return db.run(removeMember, member);
}
