import {
  bigint,
  bytes,
  flag,
  integer,
  json,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  time,
} from '../columns.ts';
import { query } from '../query.ts';
import { accessChannel } from './access.ts';

export type Mode = 'project_members' | 'invited_only' | 'anyone_with_link';

const studies = table(
  'studies',
  {
    id: text,
    organizationId: text,
    projectId: text,
    environmentId: text,
    name: text,
    description: orNull(text),
    mode: oneOf<Mode>(),
    accessVersion: integer,
    guestExecution: json<unknown>(),
    /** Null for an unpublished study. */
    publishedAt: orNull(time),
    linkSealedId: orNull(text),
    createdAt: time,
    updatedAt: time,
  },
  { linkHash: orNull(bytes) },
);
/** Includes the encrypted token of the link. */
const sealed = { ...studies.columns, linkKeyId: orNull(text), linkCiphertext: orNull(bytes) };
export type StudyRow = RowOf<typeof sealed>;

const all = `${studies.all('s')}, v.key_id as "linkKeyId", v.ciphertext as "linkCiphertext"`;
const from = 'from studies s left join sealed_values v on v.id = s.link_sealed_id';
const one = { projectId: text, id: text };

export const find = query(
  'studies.find',
  `select ${all} ${from} where s.id = :id and s.project_id = :projectId`,
  one,
  sealed,
);
/** For work that outlives its request. Excludes studies of deleted projects. */
export const get = query(
  'studies.get',
  `select s.id, s.name, s.organization_id as "organizationId", s.project_id as "projectId"
   from studies s join projects p on p.id = s.project_id and p.deleted_at is null where s.id = :id`,
  { id: text },
  studies.pick(['id', 'name', 'organizationId', 'projectId']),
);
/** Locks a study, which serializes changes. */
export const lock = query(
  'studies.lock',
  `select ${all} ${from} where s.id = :id and s.project_id = :projectId for no key update of s`,
  one,
  sealed,
);
const listed = { ...sealed, sessionsLately: integer, lastSessionAt: orNull(time) };
export type ListedStudy = RowOf<typeof listed>;
export const list = query(
  'studies.list',
  `select ${all},
     (select count(*)::int from (select from study_sessions t where t.study_id = s.id
       and t.last_activity_at > now() - interval '7 days' limit 1000) lately) as "sessionsLately",
     (select max(t.last_activity_at) from study_sessions t where t.study_id = s.id) as "lastSessionAt"
   ${from} where s.project_id = :projectId and (:unpublished or s.published_at is not null)
     and (:before::text is null or s.id < :before) order by s.id desc limit :most`,
  { projectId: text, unpublished: flag, before: orNull(text), most: bigint },
  listed,
  { index: 'studies_project' },
);
/** Serializes the publishing of an environment. */
export const lockPublishing = query(
  'studies.lock-publishing',
  `select from pg_advisory_xact_lock(hashtextextended('study ' || :environmentId, 4700))`,
  { environmentId: text },
);
/** Locks the studies of an environment. Returns published ones first, then the latest. */
export const ofEnvironment = query(
  'studies.of-environment',
  `select ${all} ${from} where s.environment_id = :environmentId and s.project_id = :projectId
   order by s.published_at is null, s.id desc for no key update of s`,
  { projectId: text, environmentId: text },
  sealed,
);
export const byLink = query(
  'studies.by-link',
  `select ${all} ${from} join projects p on p.id = s.project_id and p.deleted_at is null
   where s.link_hash = :linkHash and s.published_at is not null
     and exists (select from organization_features f where f.organization_id = s.organization_id and f.feature = 'user-testing')`,
  { linkHash: bytes },
  sealed,
);
/** Locks a published study, shared: it cannot be narrowed or unpublished until the transaction ends. */
export const hold = query(
  'studies.hold',
  `select ${all} ${from} join projects p on p.id = s.project_id and p.deleted_at is null
   where s.id = :id and s.published_at is not null and (:linkHash::bytea is null or s.link_hash = :linkHash)
     and exists (select from organization_features f where f.organization_id = s.organization_id and f.feature = 'user-testing')
   for share of s`,
  { id: text, linkHash: orNull(bytes) },
  sealed,
);
export const count = query(
  'studies.count',
  'select count(*)::int as count from studies where project_id = :projectId',
  { projectId: text },
  { count: integer },
);
export const countOfClient = query(
  'studies.count-of-client',
  `select count(*)::int as count from studies s join environments e on e.id = s.environment_id
   where e.project_id = :projectId and e.host_id = :hostId and s.published_at is not null`,
  { projectId: text, hostId: text },
  { count: integer },
);

const made = [
  'id',
  'organizationId',
  'projectId',
  'environmentId',
  'name',
  'description',
  'mode',
  'guestExecution',
] as const;
export const insert = query('studies.insert', studies.insert(made), studies.pick(made));

const link = { linkHash: orNull(bytes), linkSealedId: orNull(text) };
const change = (fields: Parameters<typeof studies.set>[0]): string =>
  `update studies set ${studies.set(fields)}, updated_at = now() where id = :id`;

export const setLink = query(
  'studies.set-link',
  `update studies set link_hash = :linkHash, link_sealed_id = :linkSealedId, updated_at = now() where id = :id`,
  { id: text, ...link },
);
export const publish = query(
  'studies.publish',
  `update studies set ${studies.set(['name', 'description', 'mode'])}, published_at = now(), updated_at = now() where id = :id`,
  studies.pick(['id', 'name', 'description', 'mode']),
);
export const describe = query(
  'studies.describe',
  change(['name', 'description']),
  studies.pick(['id', 'name', 'description']),
);
/** `narrows`: the new mode admits fewer visitors, so existing grants are invalidated. */
export const setMode = query(
  'studies.set-mode',
  `update studies set mode = :mode, access_version = access_version + case when :narrows then 1 else 0 end,
     updated_at = now() where id = :id`,
  { id: text, mode: text, narrows: flag },
);
export const incrementAccessVersion = query(
  'studies.increment-access-version',
  `update studies set access_version = access_version + 1, updated_at = now() where id = :id`,
  { id: text },
);
export const unpublish = query(
  'studies.unpublish',
  `update studies set published_at = null, link_hash = null, link_sealed_id = null,
     access_version = access_version + 1, updated_at = now() where id = :id`,
  { id: text },
);
export const rebind = query(
  'studies.rebind',
  change(['environmentId']),
  studies.pick(['id', 'environmentId']),
);
export const setGuestExecution = query(
  'studies.set-guest-execution',
  change(['guestExecution']),
  studies.pick(['id', 'guestExecution']),
);

/** Announces that access to the study has changed. Older versions listen on `study_access`. */
export const announce = query(
  'studies.announce',
  `select from pg_notify('${accessChannel}', :id) now, pg_notify('study_access', :id) before`,
  { id: text },
);
