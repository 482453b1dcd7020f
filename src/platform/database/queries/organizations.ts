import { bigint, flag, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import type { Db } from '../database.ts';
import { query } from '../query.ts';

export const organizations = table('organizations', {
  id: text,
  name: text,
  plan: text,
  logoUrl: orNull(text),
  createdBy: orNull(text),
  createdAt: time,
});

export const find = query(
  'organizations.find',
  `select ${organizations.all()} from organizations where id = :id`,
  { id: text },
  organizations.columns,
);
/** All organizations, or those with this ID or name. Names are not unique. */
export const list = query(
  'organizations.list',
  `select o.id, o.name, o.plan, o.created_at as "createdAt",
     (select count(*) from organization_members m where m.organization_id = o.id) as members,
     (select count(*) from projects p where p.organization_id = o.id and p.deleted_at is null) as projects,
     array(select feature from organization_features f where f.organization_id = o.id order by feature) as features
   from organizations o where :idOrName::text is null or o.id = :idOrName or o.name = :idOrName order by o.id`,
  { idOrName: orNull(text) },
  {
    ...organizations.pick(['id', 'name', 'plan', 'createdAt']),
    members: bigint,
    projects: bigint,
    features: texts,
  },
);
export type OrganizationRow = RowOf<typeof list.gives>;

const written = ['id', 'name', 'createdBy'] as const;
/** Inserts an organization with the features that are enabled by default. */
export const insert = query(
  'organizations.insert',
  `with made as (${organizations.insert(written)} returning id)
   insert into organization_features (organization_id, feature) select made.id, f.name from made, unnest(array['swarms', 'user-testing']) as f (name)`,
  organizations.pick(written),
);
/** A null name keeps the current one. The logo changes only if `setsLogoUrl` is true. */
export const update = query(
  'organizations.update',
  `update organizations set name = coalesce(:name, name),
     logo_url = case when :setsLogoUrl then :logoUrl else logo_url end
   where id = :id returning id, name, logo_url as "logoUrl"`,
  { id: text, name: orNull(text), logoUrl: orNull(text), setsLogoUrl: flag },
  organizations.pick(['id', 'name', 'logoUrl']),
);
export const remove = query('organizations.delete', 'delete from organizations where id = :id', { id: text });
export const setPlan = query(
  'organizations.set-plan',
  'update organizations set plan = :plan where id = :id',
  {
    id: text,
    plan: text,
  },
);

const feature = { organizationId: text, feature: text };
export const features = query(
  'organizations.features',
  'select feature from organization_features where organization_id = :organizationId order by feature',
  { organizationId: text },
  { feature: text },
);
export const hasFeature = query(
  'organizations.has-feature',
  `select feature from organization_features where organization_id = :organizationId and feature = :feature`,
  feature,
  { feature: text },
);
export const addFeature = query(
  'organizations.add-feature',
  `insert into organization_features (organization_id, feature) values (:organizationId, :feature)
   on conflict do nothing`,
  feature,
);
export const removeFeature = query(
  'organizations.remove-feature',
  'delete from organization_features where organization_id = :organizationId and feature = :feature',
  feature,
);

const bootstrapLock = query('organizations.bootstrap-lock', 'select from pg_advisory_xact_lock(4700004)', {});
const any = query('organizations.any', 'select id from organizations limit 1', {}, { id: text });

/** Waits for another process to finish the first boot, then returns whether it is still to be done. */
export async function isFirstBoot(db: Db): Promise<boolean> {
  await db.rows(bootstrapLock);
  return (await db.row(any)) === undefined;
}
