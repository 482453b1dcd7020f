import { bytes, flag, listOf, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';

/** A key whose organization or owner is gone stays, so that it can say why it stopped working. */
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

/** Of one organization, or of all. */
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

/** Whether one was ever made. */
export const any = query('keys.any', 'select exists (select from api_keys) as made', {}, { made: flag });

const written = ['id', 'hash', 'hint', 'name', 'userId', 'organizationId'] as const;
export const insert = query('keys.insert', keys.insert(written), keys.pick(written));
/** Writes nothing when there is no such key, or it was revoked before. */
export const revoke = query(
  'keys.revoke',
  'update api_keys set revoked_at = now() where id = :id and revoked_at is null',
  { id: text },
);
/** A row as long as the key opens anything. */
export const working = query(
  'keys.working',
  `select k.id from api_keys k
     join organization_members m on m.organization_id = k.organization_id and m.user_id = k.user_id
   where k.id = :id and k.revoked_at is null`,
  { id: text },
  { id: text },
);
export const touch = query(
  'keys.touch',
  `update api_keys k set last_used_at = t.at
   from unnest(:ids::text[], :times::timestamptz[]) as t (id, at)
   where k.id = t.id and (k.last_used_at is null or k.last_used_at < t.at)`,
  { ids: texts, times: listOf(time) },
);
