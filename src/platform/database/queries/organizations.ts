import { type Db, statement } from '../database.ts';

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
  'organizations.organizations',
  `select o.id, o.name, o.plan, o.created_at as "createdAt",
     (select count(*) from organization_members m where m.organization_id = o.id) as members,
     (select count(*) from projects p where p.organization_id = o.id and p.deleted_at is null) as projects,
     array(select feature from organization_features f where f.organization_id = o.id order by feature) as features
   from organizations o where $1::text is null or o.id = $1 or o.name = $1 order by o.id`,
);

const insertOrganizationSql = statement(
  'organizations.insert-organization',
  'insert into organizations (id, name, created_by) values ($1, $2, $3)',
);

const deleteOrganizationSql = statement(
  'organizations.delete-organization',
  'delete from organizations where id = $1',
);

const setPlanSql = statement('organizations.set-plan', 'update organizations set plan = $2 where id = $1');

const addFeature = statement(
  'organizations.add-feature',
  'insert into organization_features (organization_id, feature) values ($1, $2) on conflict do nothing',
);

const removeFeature = statement(
  'organizations.remove-feature',
  'delete from organization_features where organization_id = $1 and feature = $2',
);

const features = statement<{ feature: string }>(
  'organizations.features',
  'select feature from organization_features where organization_id = $1 order by feature',
);

const anyOrganization = statement<{ id: string }>(
  'organizations.any-organization',
  'select id from organizations limit 1',
);

const bootstrapLock = statement<object>(
  'organizations.bootstrap-lock',
  'select pg_advisory_xact_lock(4700004)',
);

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

/** Waits for a first boot in another process to finish, then says whether there is anything to do. */
export async function isFirstBoot(db: Db): Promise<boolean> {
  await db.rows(bootstrapLock);
  return (await db.row(anyOrganization)) === undefined;
}
