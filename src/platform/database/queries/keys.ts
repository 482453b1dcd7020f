import { type Db, statement } from '../database.ts';

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
  'keys.keys',
  `select k.id, k.name, k.hint, u.email, o.id as "organizationId", o.name as "organizationName",
     k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.revoked_at as "revokedAt"
   from api_keys k left join users u on u.id = k.user_id left join organizations o on o.id = k.organization_id
   where $1::text is null or k.organization_id = $1 order by k.id`,
);

const insertKeySql = statement(
  'keys.insert-key',
  'insert into api_keys (id, hash, hint, name, user_id, organization_id) values ($1, $2, $3, $4, $5, $6)',
);

const revokeKeySql = statement(
  'keys.revoke-key',
  'update api_keys set revoked_at = now() where id = $1 and revoked_at is null',
);

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
