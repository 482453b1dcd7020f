import {
  bigint,
  bytes,
  flag,
  integer,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

const secrets = table('secrets', {
  id: text,
  projectId: text,
  name: text,
  description: orNull(text),
  delivery: oneOf<'brokered' | 'materialized'>(),
  brokerHosts: orNull(texts),
  brokerHeader: orNull(text),
  brokerTemplate: orNull(text),
  sharing: oneOf<'user' | 'project'>(),
  /** Null for a secret that is shared in the project. */
  ownerId: orNull(text),
  sealedId: text,
  lastDeliveredAt: orNull(time),
  createdBy: text,
  updatedBy: text,
  createdAt: time,
  updatedAt: time,
});
export type SecretRow = RowOf<typeof secrets.columns>;

// A personal secret exists for its owner only.
const visible = `from secrets where project_id = :projectId and (sharing = 'project' or owner_id = :userId)`;
const viewer = { projectId: text, userId: text };

export const list = query(
  'secrets.list',
  `select ${secrets.all()} ${visible} and id > :after order by id limit :most`,
  { ...viewer, after: text, most: bigint },
  secrets.columns,
  { index: 'secrets_project' },
);
/** A secret of the project that this user may see. */
export const find = query(
  'secrets.find',
  `select ${secrets.all()} ${visible} and id = :id`,
  { ...viewer, id: text },
  secrets.columns,
);
/** Locks a secret until the transaction ends, which serializes edits. */
export const lock = query(
  'secrets.lock',
  `select ${secrets.all()} ${visible} and id = :id for update`,
  { ...viewer, id: text },
  secrets.columns,
);
/** Secrets of the project among these IDs that are shared or belong to the user. */
export const findVisible = query(
  'secrets.find-visible',
  `select id, name, sharing, owner_id as "ownerId" ${visible} and id = any(:ids) order by id`,
  { ...viewer, ids: texts },
  secrets.pick(['id', 'name', 'sharing', 'ownerId']),
);
/** Existing secrets among these IDs, whether visible or not, and whether this user may use each. */
export const granted = query(
  'secrets.granted',
  `select id, sharing = 'project' or owner_id = :userId as delivered from secrets
   where project_id = :projectId and id = any(:ids) order by id`,
  { ...viewer, ids: texts },
  { id: text, delivered: orNull(flag) },
);
/**
 * Counts shared secrets, or those of one owner. Separate counts, because a limit must not be used up by secrets that
 * others cannot see.
 */
export const count = query(
  'secrets.count',
  `select count(*)::int as count from secrets
   where project_id = :projectId and owner_id is not distinct from :ownerId`,
  { projectId: text, ownerId: orNull(text) },
  { count: integer },
);

const binding = ['delivery', 'brokerHosts', 'brokerHeader', 'brokerTemplate'] as const;
const edited = ['description', ...binding, 'sealedId', 'updatedBy'] as const;
const made = ['id', 'projectId', 'name', 'sharing', 'ownerId', 'createdBy', ...edited] as const;
export const insert = query(
  'secrets.insert',
  `${secrets.insert(made)} returning ${secrets.all()}`,
  secrets.pick(made),
  secrets.columns,
);
export const update = query(
  'secrets.update',
  `update secrets set ${secrets.set(edited)}, updated_at = now()
   where project_id = :projectId and id = :id returning ${secrets.all()}`,
  secrets.pick(['projectId', 'id', ...edited]),
  secrets.columns,
);
export const remove = query(
  'secrets.delete',
  'delete from secrets where project_id = :projectId and id = :id',
  secrets.pick(['projectId', 'id']),
);
/** Deletes all secrets of a user with their encrypted values. */
export const removeOwned = query(
  'secrets.delete-owned',
  `with gone as (delete from secrets where owner_id = :userId returning sealed_id)
   delete from sealed_values where id in (select sealed_id from gone)`,
  { userId: text },
);
/**
 * Secrets that work started by this user may use, shared ones first. Marks and reads them in one statement, so that
 * exactly the returned ones are marked.
 */
export const deliver = query(
  'secrets.deliver',
  `with granted as (
     update secrets set last_delivered_at = now()
     where project_id = :projectId and (sharing = 'project' or owner_id = :userId) and id = any(:ids)
       and exists (select from projects p where p.id = :projectId and p.deleted_at is null)
     returning id, name, delivery, broker_hosts, broker_header, broker_template, sharing, sealed_id)
   select g.id, g.name, g.delivery, g.broker_hosts as "brokerHosts", g.broker_header as "brokerHeader",
     g.broker_template as "brokerTemplate", g.sharing, v.id as "sealedId", v.key_id as "keyId", v.ciphertext
   from granted g join sealed_values v on v.id = g.sealed_id order by g.sharing, g.id`,
  { ...viewer, ids: texts },
  { ...secrets.pick(['id', 'name', ...binding, 'sharing', 'sealedId']), keyId: text, ciphertext: bytes },
);
