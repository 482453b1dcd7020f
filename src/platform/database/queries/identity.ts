import { type Db, statement } from '../database.ts';

export type OrganizationRole = 'owner' | 'admin' | 'member';

export interface OwnOrganizationRow {
  id: string;
  name: string;
  plan: string;
  logoUrl: string | null;
  createdBy: string | null;
  createdAt: number;
}

const organization = statement<OwnOrganizationRow>(
  'organizations.find',
  `select id, name, plan, logo_url as "logoUrl", created_by as "createdBy", created_at as "createdAt"
   from organizations where id = $1`,
);
const touch = statement(
  'keys.touch',
  `update api_keys k set last_used_at = t.at
   from unnest($1::text[], $2::timestamptz[]) as t (id, at)
   where k.id = t.id and (k.last_used_at is null or k.last_used_at < t.at)`,
);

export async function findOrganization(db: Db, id: string): Promise<OwnOrganizationRow | undefined> {
  return db.row(organization, [id]);
}

export async function touchKeys(db: Db, uses: ReadonlyMap<string, number>): Promise<void> {
  const times = [...uses.values()].map((at) => new Date(at).toISOString());
  await db.run(touch, [[...uses.keys()], times]);
}
