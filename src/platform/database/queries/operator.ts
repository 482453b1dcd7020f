import { type Db, statement } from '../database.ts';
import type { OrganizationRole } from './identity.ts';

export interface OrganizationRow {
  id: string;
  name: string;
  plan: string;
  members: number;
  projects: number;
  features: string[];
  createdAt: number;
}

const organizations = statement<OrganizationRow>(
  'operator.organizations',
  `select o.id, o.name, o.plan, o.created_at as "createdAt",
     (select count(*) from organization_members m where m.organization_id = o.id) as members,
     (select count(*) from projects p where p.organization_id = o.id) as projects,
     array(select feature from organization_features f where f.organization_id = o.id order by feature) as features
   from organizations o where $1::text is null or o.id = $1 or o.name = $1 order by o.id`,
);
const insertOrganizationSql = statement(
  'operator.insert-organization',
  'insert into organizations (id, name, created_by) values ($1, $2, $3)',
);
const deleteOrganizationSql = statement(
  'operator.delete-organization',
  'delete from organizations where id = $1',
);
const setPlanSql = statement('operator.set-plan', 'update organizations set plan = $2 where id = $1');
const addFeature = statement(
  'operator.add-feature',
  'insert into organization_features (organization_id, feature) values ($1, $2) on conflict do nothing',
);
const removeFeature = statement(
  'operator.remove-feature',
  'delete from organization_features where organization_id = $1 and feature = $2',
);
const features = statement<{ feature: string }>(
  'operator.features',
  'select feature from organization_features where organization_id = $1 order by feature',
);

export interface UserRow {
  id: string;
  email: string;
  name: string;
  createdAt: number;
}

const users = statement<UserRow>(
  'operator.users',
  `select id, email, name, created_at as "createdAt" from users
   where $1::text is null or id = $1 or lower(email) = lower($1) order by id`,
);
const insertUserSql = statement(
  'operator.insert-user',
  'insert into users (id, email, name) values ($1, $2, $3)',
);
const deleteUserSql = statement('operator.delete-user', 'delete from users where id = $1');

export interface MemberRow {
  userId: string;
  email: string;
  name: string;
  role: string;
}

const members = statement<MemberRow>(
  'operator.members',
  `select m.user_id as "userId", u.email, u.name, m.role from organization_members m join users u on u.id = m.user_id
   where m.organization_id = $1 order by m.user_id`,
);
const projectMembers = statement<MemberRow>(
  'operator.project-members',
  `select m.user_id as "userId", u.email, u.name, m.role from project_members m join users u on u.id = m.user_id
   where m.project_id = $1 order by m.user_id`,
);
const setMember = statement(
  'operator.set-member',
  `insert into organization_members (organization_id, user_id, role) values ($1, $2, $3)
   on conflict (organization_id, user_id) do update set role = excluded.role`,
);
const removeMember = statement(
  'operator.remove-member',
  'delete from organization_members where organization_id = $1 and user_id = $2',
);
const leaveProjects = statement(
  'operator.leave-projects',
  `delete from project_members m using projects p
   where p.id = m.project_id and p.organization_id = $1 and m.user_id = $2`,
);
const orphanKeys = statement(
  'operator.orphan-keys',
  'update api_keys set organization_id = null where organization_id = $1 and user_id = $2',
);
const projectOrganization = statement<{ organizationId: string }>(
  'operator.project-organization',
  'select organization_id as "organizationId" from projects where id = $1',
);

export interface KeyListRow {
  id: string;
  name: string;
  hint: string;
  email: string | null;
  organizationId: string | null;
  organizationName: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

const keys = statement<KeyListRow>(
  'operator.keys',
  `select k.id, k.name, k.hint, u.email, o.id as "organizationId", o.name as "organizationName",
     k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.revoked_at as "revokedAt"
   from api_keys k left join users u on u.id = k.user_id left join organizations o on o.id = k.organization_id
   where $1::text is null or k.organization_id = $1 order by k.id`,
);
const insertKeySql = statement(
  'operator.insert-key',
  'insert into api_keys (id, hash, hint, name, user_id, organization_id) values ($1, $2, $3, $4, $5, $6)',
);
const revokeKeySql = statement(
  'operator.revoke-key',
  'update api_keys set revoked_at = now() where id = $1 and revoked_at is null',
);
const anyOrganization = statement<{ id: string }>(
  'operator.any-organization',
  'select id from organizations limit 1',
);
const bootstrapLock = statement<object>('operator.bootstrap-lock', 'select pg_advisory_xact_lock(4700004)');

export async function listOrganizationRows(db: Db): Promise<OrganizationRow[]> {
  return db.rows(organizations, [null]);
}

/** By id or by name; several organizations may share a name. */
export function findOrganizations(db: Db, idOrName: string): Promise<OrganizationRow[]> {
  return db.rows(organizations, [idOrName]);
}

export async function insertOrganization(
  db: Db,
  id: string,
  name: string,
  createdBy: string | null,
): Promise<void> {
  await db.run(insertOrganizationSql, [id, name, createdBy]);
}

export async function deleteOrganization(db: Db, id: string): Promise<void> {
  await db.run(deleteOrganizationSql, [id]);
}

export async function setOrganizationPlan(db: Db, id: string, plan: string): Promise<void> {
  await db.run(setPlanSql, [id, plan]);
}

export async function setFeature(
  db: Db,
  organizationId: string,
  feature: string,
  enabled: boolean,
): Promise<void> {
  await db.run(enabled ? addFeature : removeFeature, [organizationId, feature]);
}

export async function featuresOf(db: Db, organizationId: string): Promise<Set<string>> {
  return new Set((await db.rows(features, [organizationId])).map((row) => row.feature));
}

export function listUserRows(db: Db): Promise<UserRow[]> {
  return db.rows(users, [null]);
}

export function findUser(db: Db, idOrEmail: string): Promise<UserRow | undefined> {
  return db.row(users, [idOrEmail]);
}

export async function insertUser(db: Db, id: string, email: string, name: string): Promise<void> {
  await db.run(insertUserSql, [id, email, name]);
}

export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.run(deleteUserSql, [id]);
}

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

export function listKeyRows(db: Db, organizationId: string | null): Promise<KeyListRow[]> {
  return db.rows(keys, [organizationId]);
}

export async function insertKey(
  db: Db,
  key: { id: string; hash: Buffer; hint: string; name: string; userId: string; organizationId: string },
): Promise<void> {
  await db.run(insertKeySql, [key.id, key.hash, key.hint, key.name, key.userId, key.organizationId]);
}

/** False when there is no such key, or it was revoked before. */
export async function revokeKeyRow(db: Db, id: string): Promise<boolean> {
  return (await db.run(revokeKeySql, [id])) === 1;
}

/** Waits for a first boot in another process to finish, then says whether there is anything to do. */
export async function isFirstBoot(db: Db): Promise<boolean> {
  await db.rows(bootstrapLock);
  return (await db.row(anyOrganization)) === undefined;
}
