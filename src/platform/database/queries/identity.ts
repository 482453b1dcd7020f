import { type Db, statement } from '../database.ts';

export type OrganizationRole = 'owner' | 'admin' | 'member';

export interface KeyRow {
  keyId: string;
  revoked: boolean;
  userId: string | null;
  email: string;
  userName: string;
  imageUrl: string | null;
  userCreatedAt: number;
  userUpdatedAt: number;
  organizationId: string | null;
  plan: string;
  role: OrganizationRole | null;
}

// Runs on every request. Reading the row each time is what makes a revocation immediate everywhere.
const findByHash = statement<KeyRow>(
  'keys.find',
  `select k.id as "keyId", k.revoked_at is not null as revoked,
     u.id as "userId", u.email, u.name as "userName", u.image_url as "imageUrl",
     u.created_at as "userCreatedAt", u.updated_at as "userUpdatedAt",
     o.id as "organizationId", o.plan, m.role
   from api_keys k
   left join users u on u.id = k.user_id
   left join organizations o on o.id = k.organization_id
   left join organization_members m on m.organization_id = o.id and m.user_id = u.id
   where k.hash = $1`,
);
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

export function findKey(db: Db, hash: Buffer): Promise<KeyRow | undefined> {
  return db.row(findByHash, [hash]);
}

export async function findOrganization(db: Db, id: string): Promise<OwnOrganizationRow | undefined> {
  return db.row(organization, [id]);
}

export async function touchKeys(db: Db, uses: ReadonlyMap<string, number>): Promise<void> {
  const times = [...uses.values()].map((at) => new Date(at).toISOString());
  await db.run(touch, [[...uses.keys()], times]);
}
