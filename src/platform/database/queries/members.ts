import { bigint, flag, oneOf, orNull, type RowOf, text, time } from '../columns.ts';
import type { Db } from '../database.ts';
import { query } from '../query.ts';
import { mayView, organizationRoles as roles } from './visibility.ts';

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
const seen = {
  userId: text,
  email: text,
  name: text,
  role: roles,
  hasPassword: flag,
  lastSeenAt: orNull(time),
};
export type SeenMemberRow = RowOf<typeof seen>;
const seenMember = `select m.user_id as "userId", u.email, u.name, m.role,
     exists (select from passwords p where p.user_id = u.id) as "hasPassword",
     (select max(s.last_seen_at) from console_sessions s where s.user_id = u.id) as "lastSeenAt"
   from organization_members m join users u on u.id = m.user_id where m.organization_id = :organizationId`;
export const page = query(
  'members.page',
  `${seenMember} and m.user_id > :after order by m.user_id limit :most`,
  { organizationId: text, after: text, most: bigint },
  seen,
  { index: 'organization_members_pkey' },
);
export const find = query('members.find', `${seenMember} and m.user_id = :userId`, ofOrganization, seen);
export const withEmail = query(
  'members.with-email',
  `select m.user_id as "userId" from organization_members m join users u on u.id = m.user_id
   where m.organization_id = :organizationId and lower(u.email) = lower(:email)`,
  { organizationId: text, email: text },
  { userId: text },
);
/** Serializes changes of the members of an organization until the transaction ends. */
export const lockOrganization = query(
  'members.lock-organization',
  'select id from organizations where id = :organizationId for no key update',
  { organizationId: text },
  { id: text },
);
const leaving = { userId: text, organizationId: orNull(text) };
/** Locks the organizations of a user, or one of them, in a fixed order, so that two callers cannot deadlock. */
export const lockOrganizationsOfUser = query(
  'members.lock-organizations-of-user',
  `select o.id from organizations o
   where o.id in (select m.organization_id from organization_members m where m.user_id = :userId)
     and (:organizationId::text is null or o.id = :organizationId) order by o.id for no key update`,
  leaving,
  { id: text },
);
/** Organizations of which this user is the only owner: all, or the given one. */
export const ownedAlone = query(
  'members.owned-alone',
  `select o.name, u.email from organization_members m join organizations o on o.id = m.organization_id
     join users u on u.id = m.user_id
   where m.user_id = :userId and m.role = 'owner' and (:organizationId::text is null or o.id = :organizationId)
     and not exists (select from organization_members others
       where others.organization_id = o.id and others.role = 'owner' and others.user_id <> m.user_id)
   order by o.id`,
  leaving,
  { name: text, email: text },
);

const inProject = {
  userId: text,
  email: text,
  name: text,
  role: oneOf<'admin' | 'member'>(),
  invited: flag,
};
export type ProjectMemberRow = RowOf<typeof inProject>;
/** All members who have access to a project. */
export const pageOfProject = query(
  'members.page-of-project',
  `select m.user_id as "userId", u.email, u.name,
     case when m.role <> 'member' then 'admin' else coalesce(i.role, 'member') end as role, i.role is not null as invited
   from organization_members m join users u on u.id = m.user_id join projects p on p.id = :projectId
     and p.organization_id = m.organization_id
     left join project_members i on i.project_id = p.id and i.user_id = m.user_id
   where m.organization_id = :organizationId and ${mayView('m.role', 'i.role')} and m.user_id > :after
   order by m.user_id limit :most`,
  { organizationId: text, projectId: text, after: text, most: bigint },
  inProject,
  { index: 'organization_members_pkey' },
);
export const set = query(
  'members.set',
  `insert into organization_members (organization_id, user_id, role) values (:organizationId, :userId, :role)
   on conflict (organization_id, user_id) do update set role = excluded.role`,
  { ...ofOrganization, role: roles },
);
/** Returns no row for an existing member. */
export const add = query(
  'members.add',
  `insert into organization_members (organization_id, user_id, role) values (:organizationId, :userId, :role)
   on conflict do nothing`,
  { ...ofOrganization, role: roles },
);
export const setInProject = query(
  'members.set-in-project',
  `insert into project_members (project_id, user_id, role) values (:projectId, :userId, :role)
   on conflict on constraint project_members_pkey do update set role = excluded.role`,
  { ...ofProject, role: oneOf<'admin' | 'member'>() },
);
/** The role of a user who was invited to the project. */
export const findInProject = query(
  'members.find-in-project',
  `select m.role, u.email from project_members m join users u on u.id = m.user_id
   where m.project_id = :projectId and m.user_id = :userId`,
  ofProject,
  { role: oneOf<'admin' | 'member'>(), email: text },
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

/** Removes the user from the organization and its projects. Keys stay without an organization. */
export async function remove(db: Db, member: RowOf<typeof ofOrganization>): Promise<number> {
  await db.run(leaveProjects, member);
  await db.run(orphanKeys, member);
  return db.run(removeMember, member);
}
