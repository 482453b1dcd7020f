import { type Db, statement } from '../database.ts';

/** An OAuth grant of a server. Its tokens and client secret are sealed. */
export interface GrantRow {
  id: string;
  serverId: string;
  projectId: string;
  organizationId: string;
  sealedId: string;
  serverUrl: string;
  resourceUrl: string | null;
  authorizationServerUrl: string | null;
  clientId: string | null;
  scope: string | null;
  expiresAt: number | null;
  /** When its tokens came. */
  updatedAt: number;
  version: number;
  sealedKeyId: string;
  ciphertext: Buffer;
  /** Somebody is refreshing it now. */
  refreshing: boolean;
  deadReason: string | null;
}

const find = statement<GrantRow>(
  'grants.find',
  `select g.id, g.server_id as "serverId", g.project_id as "projectId", p.organization_id as "organizationId",
     g.sealed_id as "sealedId", g.server_url as "serverUrl", g.resource_url as "resourceUrl",
     g.authorization_server_url as "authorizationServerUrl", g.client_id as "clientId", g.scope,
     g.expires_at as "expiresAt", g.updated_at as "updatedAt", g.version,
     coalesce(g.refreshing_until > now(), false) as refreshing,
     g.dead_reason as "deadReason", v.key_id as "sealedKeyId", v.ciphertext
   from oauth_grants g join projects p on p.id = g.project_id and p.deleted_at is null join sealed_values v on v.id = g.sealed_id
   where g.id = $1`,
);
const insert = statement(
  'grants.insert',
  `insert into oauth_grants (id, server_id, project_id, sealed_id, server_url, resource_url,
     authorization_server_url, client_id, scope, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10::double precision / 1000))`,
);
const remove = statement<{ sealedId: string }>(
  'grants.delete',
  'delete from oauth_grants where server_id = $1 returning sealed_id as "sealedId"',
);
// Wins for exactly one process per version: the row is locked while the conditions are looked at.
const claim = statement<{ id: string }>(
  'grants.claim',
  `update oauth_grants set refreshing_until = now() + interval '20 seconds'
   where id = $1 and version = $2 and dead_reason is null
     and (refreshing_until is null or refreshing_until < now())
   returning id`,
);
const release = statement(
  'grants.release',
  'update oauth_grants set refreshing_until = null where id = $1 and version = $2',
);
const renew = statement(
  'grants.renew',
  `update oauth_grants set sealed_id = $3, expires_at = to_timestamp($4::double precision / 1000),
     scope = coalesce($5, scope), authorization_server_url = coalesce(authorization_server_url, $6), version = version + 1, refreshing_until = null, updated_at = now()
   where id = $1 and version = $2`,
);
const kill = statement(
  'grants.kill',
  `update oauth_grants set dead_reason = $3, refreshing_until = null, updated_at = now()
   where id = $1 and version = $2`,
);

export function findGrant(db: Db, id: string): Promise<GrantRow | undefined> {
  return db.row(find, [id]);
}

export type GrantFields = Omit<
  GrantRow,
  'organizationId' | 'sealedKeyId' | 'ciphertext' | 'updatedAt' | 'version' | 'refreshing' | 'deadReason'
>;

export async function insertGrant(db: Db, grant: GrantFields): Promise<void> {
  const { id, serverId, projectId, sealedId, serverUrl, resourceUrl } = grant;
  const { authorizationServerUrl, clientId, scope, expiresAt } = grant;
  await db.run(insert, [
    id,
    serverId,
    projectId,
    sealedId,
    serverUrl,
    resourceUrl,
    authorizationServerUrl,
    clientId,
    scope,
    expiresAt,
  ]);
}

/** The sealed tokens of the grant that went, or undefined when the server had none. */
export async function deleteGrant(db: Db, serverId: string): Promise<string | undefined> {
  return (await db.row(remove, [serverId]))?.sealedId;
}

/** Whether the caller is now the one to refresh this version. */
export async function claimRefresh(db: Db, id: string, version: number): Promise<boolean> {
  return (await db.row(claim, [id, version])) !== undefined;
}

export async function releaseRefresh(db: Db, id: string, version: number): Promise<void> {
  await db.run(release, [id, version]);
}

export interface RenewedGrant {
  sealedId: string;
  expiresAt: number | null;
  scope: string | null;
  /** Remembered, so that nobody can name another one later. */
  issuer: string;
}

/** Whether the version was still the current one. */
export async function renewGrant(
  db: Db,
  id: string,
  version: number,
  renewed: RenewedGrant,
): Promise<boolean> {
  return (
    (await db.run(renew, [
      id,
      version,
      renewed.sealedId,
      renewed.expiresAt,
      renewed.scope,
      renewed.issuer,
    ])) === 1
  );
}

export async function killGrant(db: Db, id: string, version: number, reason: string): Promise<void> {
  await db.run(kill, [id, version, reason]);
}
