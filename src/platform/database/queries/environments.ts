import { bigint, flag, integer, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';

const parts = {
  hostId: text,
  serverAttachmentId: orNull(text),
  modelId: orNull(text),
  skillIds: orNull(texts),
  secretIds: orNull(texts),
  pluginVersionIds: orNull(texts),
  sandboxImageId: orNull(text),
};
export type Composition = RowOf<typeof parts>;

const environments = table(
  'environments',
  {
    id: text,
    projectId: text,
    /** Null for an ad hoc environment. */
    name: orNull(text),
    description: orNull(text),
    ...parts,
    revision: integer,
    archivedAt: orNull(time),
    createdAt: time,
    updatedAt: time,
  },
  { composition: text, nameKey: orNull(text) },
);
export type EnvironmentRow = RowOf<typeof environments.columns>;
export type EnvironmentFields = Composition &
  Pick<EnvironmentRow, 'id' | 'projectId' | 'name' | 'description'>;

const which = environments.pick(['projectId', 'id']);
const page = { projectId: text, after: text, most: bigint };

/** A page of live environments. A partial index keeps the query fast, however many archived environments exist. */
export const listLive = query(
  'environments.list-live',
  `select ${environments.all()} from environments
   where project_id = :projectId and name is not null and archived_at is null and id > :after order by id limit :most`,
  page,
  environments.columns,
  { index: 'environments_live' },
);
export const listNamed = query(
  'environments.list-named',
  `select ${environments.all()} from environments
   where project_id = :projectId and name is not null and id > :after order by id limit :most`,
  page,
  environments.columns,
  { index: 'environments_named' },
);
export const find = query(
  'environments.find',
  `select ${environments.all()} from environments where project_id = :projectId and id = :id`,
  which,
  environments.columns,
);
/** The active environment with this name. Served by environments_name. */
export const named = query(
  'environments.named',
  `select ${environments.all()} from environments
   where project_id = :projectId and name_key = :nameKey and archived_at is null`,
  { projectId: text, nameKey: text },
  environments.columns,
);
/** Locks an environment, which serializes edits: the revision that an editor compares is the one it replaces. */
export const lock = query(
  'environments.lock',
  `select ${environments.all()} from environments where project_id = :projectId and id = :id for update`,
  which,
  environments.columns,
);
/** Locks the environment against changes until the transaction ends. */
export const hold = query(
  'environments.hold',
  'select revision from environments where project_id = :projectId and id = :id for share',
  which,
  { revision: integer },
);
/** Counts active environments: those with a name, or ad hoc ones. */
export const count = query(
  'environments.count',
  `select count(*)::int as count from environments
   where project_id = :projectId and archived_at is null and (name is null) = :adhoc`,
  { projectId: text, adhoc: flag },
  { count: integer },
);
export const adhoc = query(
  'environments.adhoc',
  `select ${environments.all()} from environments
   where project_id = :projectId and composition = :composition and name is null and archived_at is null`,
  environments.pick(['projectId', 'composition']),
  environments.columns,
);

const edited = [
  'name',
  'description',
  'hostId',
  'serverAttachmentId',
  'modelId',
  'skillIds',
  'secretIds',
  'pluginVersionIds',
  'sandboxImageId',
  'composition',
] as const;
const made = ['id', 'projectId', ...edited, 'nameKey'] as const;
export const insert = query(
  'environments.insert',
  `${environments.insert(made)} returning ${environments.all()}`,
  environments.pick(made),
  environments.columns,
);
/** Inserts an ad hoc environment. Returns no row if one with the same content exists. */
export const insertAdhoc = query(
  'environments.insert-adhoc',
  `${environments.insert(made)} on conflict do nothing returning ${environments.all()}`,
  environments.pick(made),
  environments.columns,
);
/**
 * An unchanged name keeps its key. Names from before they became case-insensitive may have a key that differs from the
 * name.
 */
export const update = query(
  'environments.update',
  `update environments set ${environments.set(edited)},
     name_key = case when name = :name then name_key else :nameKey end,
     archived_at = case when :archived then coalesce(archived_at, now()) end, revision = revision + 1, updated_at = now()
   where project_id = :projectId and id = :id returning ${environments.all()}`,
  { ...environments.pick(made), archived: flag },
  environments.columns,
);
