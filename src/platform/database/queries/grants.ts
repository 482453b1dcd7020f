import { bytes, flag, float, integer, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const grants = table('oauth_grants', {
  id: text,
  serverId: text,
  projectId: text,
  sealedId: text,
  serverUrl: text,
  resourceUrl: orNull(text),
  authorizationServerUrl: orNull(text),
  clientId: orNull(text),
  scope: orNull(text),
  expiresAt: orNull(time),
  /** When the tokens were received. */
  updatedAt: time,
  version: integer,
  deadReason: orNull(text),
});
const version = grants.pick(['id', 'version']);

/** `refreshing`: a process is refreshing the tokens. */
export const find = query(
  'grants.find',
  `select ${grants.all('g')}, p.organization_id as "organizationId",
     coalesce(g.refreshing_until > now(), false) as refreshing, v.key_id as "sealedKeyId", v.ciphertext
   from oauth_grants g join projects p on p.id = g.project_id and p.deleted_at is null
     join sealed_values v on v.id = g.sealed_id
   where g.id = :id`,
  { id: text },
  { ...grants.columns, organizationId: text, refreshing: flag, sealedKeyId: text, ciphertext: bytes },
);
/** The OAuth grant of a server, with encrypted tokens and client secret. */
export type GrantRow = RowOf<typeof find.gives>;

const made = [
  'id',
  'serverId',
  'projectId',
  'sealedId',
  'serverUrl',
  'resourceUrl',
  'authorizationServerUrl',
  'clientId',
  'scope',
  'expiresAt',
] as const;
export const insert = query('grants.insert', grants.insert(made), grants.pick(made));
export const remove = query(
  'grants.delete',
  'delete from oauth_grants where server_id = :serverId returning sealed_id as "sealedId"',
  { serverId: text },
  { sealedId: text },
);
/**
 * Claims the refresh. Succeeds for one process per version, because the row is locked while the conditions are checked.
 */
export const claim = query(
  'grants.claim',
  `update oauth_grants set refreshing_until = now() + interval '20 seconds'
   where id = :id and version = :version and dead_reason is null
     and (refreshing_until is null or refreshing_until < now())`,
  version,
);
export const release = query(
  'grants.release',
  'update oauth_grants set refreshing_until = null where id = :id and version = :version',
  version,
);
/**
 * Stores the issuer with the first refresh and keeps it, so that a server cannot name another one later. The expiry may
 * be any number that the authorization server returns.
 */
export const renew = query(
  'grants.renew',
  `update oauth_grants set sealed_id = :sealedId, expires_at = to_timestamp(:expiresAt::double precision / 1000),
     scope = coalesce(:scope, scope), authorization_server_url = coalesce(authorization_server_url, :issuer),
     version = version + 1, refreshing_until = null, updated_at = now()
   where id = :id and version = :version`,
  { ...version, sealedId: text, expiresAt: orNull(float), scope: orNull(text), issuer: text },
);
export const kill = query(
  'grants.kill',
  `update oauth_grants set dead_reason = :reason, refreshing_until = null, updated_at = now()
   where id = :id and version = :version`,
  { ...version, reason: text },
);
