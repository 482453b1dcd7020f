import { bigint, bytes, flag, listOf, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';

/** A key whose organization or owner was deleted is kept, so that the error can explain why it stopped working. */
const keys = table('api_keys', {
  id: text,
  hash: bytes,
  hint: text,
  name: text,
  userId: orNull(text),
  organizationId: orNull(text),
  createdAt: time,
  lastUsedAt: orNull(time),
  revokedAt: orNull(time),
});

/** Keys of one organization, or of all organizations without an ID. */
export const list = query(
  'keys.list',
  `select k.id, k.name, k.hint, u.email, o.id as "organizationId", o.name as "organizationName",
     k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.revoked_at as "revokedAt"
   from api_keys k left join users u on u.id = k.user_id left join organizations o on o.id = k.organization_id
   where :organizationId::text is null or k.organization_id = :organizationId order by k.id`,
  { organizationId: orNull(text) },
  {
    ...keys.pick(['id', 'name', 'hint', 'organizationId', 'createdAt', 'lastUsedAt', 'revokedAt']),
    email: orNull(text),
    organizationName: orNull(text),
  },
);
export type KeyListRow = RowOf<typeof list.gives>;

const paged = {
  ...keys.pick(['id', 'name', 'hint', 'userId', 'createdAt', 'lastUsedAt', 'revokedAt']),
  email: orNull(text),
  userName: orNull(text),
};
export type KeyPageRow = RowOf<typeof paged>;
/** Keys of an organization or of one of its members, newest first. */
export const page = query(
  'keys.page',
  `select k.id, k.name, k.hint, k.user_id as "userId", k.created_at as "createdAt", k.last_used_at as "lastUsedAt",
     k.revoked_at as "revokedAt", u.email, u.name as "userName"
   from api_keys k left join users u on u.id = k.user_id
   where k.organization_id = :organizationId and (:userId::text is null or k.user_id = :userId)
     and (:before::text is null or k.id < :before) order by k.id desc limit :most`,
  { organizationId: text, userId: orNull(text), before: orNull(text), most: bigint },
  paged,
  { index: 'api_keys_organization' },
);
/** The number of active keys of a member. */
export const countOf = query(
  'keys.count-of',
  `select count(*) as count from api_keys
   where organization_id = :organizationId and user_id = :userId and revoked_at is null`,
  { organizationId: text, userId: text },
  { count: bigint },
);
/** Revokes a key of the organization, or of this member. Returns no row if it does not exist or was revoked before. */
export const revokeIn = query(
  'keys.revoke-in',
  `update api_keys set revoked_at = now()
   where id = :id and organization_id = :organizationId and revoked_at is null
     and (:userId::text is null or user_id = :userId)
   returning name, hint, user_id as "userId"`,
  { id: text, organizationId: text, userId: orNull(text) },
  keys.pick(['name', 'hint', 'userId']),
);

/** Whether any key was ever created. */
export const any = query('keys.any', 'select exists (select from api_keys) as made', {}, { made: flag });

const written = ['id', 'hash', 'hint', 'name', 'userId', 'organizationId'] as const;
export const insert = query(
  'keys.insert',
  `${keys.insert(written)} returning created_at as "createdAt"`,
  keys.pick(written),
  keys.pick(['createdAt']),
);
export const revoke = query(
  'keys.revoke',
  'update api_keys set revoked_at = now() where id = :id and revoked_at is null',
  { id: text },
);
export const touch = query(
  'keys.touch',
  `update api_keys k set last_used_at = t.at
   from unnest(:ids::text[], :times::timestamptz[]) as t (id, at)
   where k.id = t.id and (k.last_used_at is null or k.last_used_at < t.at)`,
  { ids: texts, times: listOf(time) },
);
