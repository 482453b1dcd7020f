import {
  bigint,
  float,
  integer,
  json,
  jsonText,
  manyOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

const cases = table(
  'eval_cases',
  {
    id: text,
    suiteId: text,
    declaredId: text,
    position: integer,
    title: text,
    definition: json<unknown>(),
    createdAt: time,
    updatedAt: time,
  },
  {
    projectId: text,
    contentHash: text,
    idempotencyKey: orNull(text),
    requestHash: orNull(text),
  },
);
export type CaseRow = RowOf<typeof cases.columns>;

const which = cases.pick(['suiteId', 'id']);

export const list = query(
  'eval-cases.list',
  `select ${cases.all()} from eval_cases where suite_id = :suiteId and position > :after
   order by position limit :most`,
  { suiteId: text, after: integer, most: bigint },
  cases.columns,
  { index: 'eval_cases_position' },
);
/** All cases of a suite, or those with these IDs, in list order. */
export const all = query(
  'eval-cases.all',
  `select ${cases.all()} from eval_cases
   where suite_id = :suiteId and (:ids::text[] is null or id = any(:ids) or declared_id = any(:ids))
   order by position`,
  { suiteId: text, ids: orNull(texts) },
  cases.columns,
);
/** The cases that a run of the whole suite includes. */
export const enabledIds = query(
  'eval-cases.enabled-ids',
  `select id from eval_cases where suite_id = :suiteId and not coalesce((definition ->> 'disabled')::boolean, false)`,
  { suiteId: text },
  { id: text },
);
export const find = query(
  'eval-cases.find',
  `select ${cases.all()} from eval_cases where suite_id = :suiteId and id = :id`,
  which,
  cases.columns,
);
export const lock = query(
  'eval-cases.lock',
  `select ${cases.all()} from eval_cases where suite_id = :suiteId and id = :id for update`,
  which,
  cases.columns,
);
export const names = query(
  'eval-cases.names',
  'select id, declared_id as "declaredId", title from eval_cases where suite_id = :suiteId order by position',
  { suiteId: text },
  { id: text, declaredId: text, title: text },
);
/** The number of cases, and their total size in bytes. */
export const size = query(
  'eval-cases.size',
  `select count(*)::int as count, coalesce(sum(octet_length(definition::text)), 0)::float8 as size
   from eval_cases where suite_id = :suiteId`,
  { suiteId: text },
  { count: integer, size: float },
);
const keyed = { id: text, declaredId: text, title: text, requestHash: orNull(text) };
/** The case that was created with this idempotency key. */
export const byKey = query(
  'eval-cases.by-key',
  `select id, declared_id as "declaredId", title, request_hash as "requestHash" from eval_cases
   where suite_id = :suiteId and idempotency_key = :idempotencyKey`,
  { suiteId: text, idempotencyKey: text },
  keyed,
);
export const byDeclaredId = query(
  'eval-cases.by-declared-id',
  'select id from eval_cases where suite_id = :suiteId and declared_id = :declaredId',
  { suiteId: text, declaredId: text },
  { id: text },
);
/** Cases with the same content as one of these, in list order. */
export const withContent = query(
  'eval-cases.with-content',
  `select ${cases.all()}, content_hash as "contentHash" from eval_cases
   where suite_id = :suiteId and content_hash = any(:hashes) order by position`,
  { suiteId: text, hashes: texts },
  { ...cases.columns, contentHash: text },
);
/** Finds a duplicate: a case with the same content. */
export const byContent = query(
  'eval-cases.by-content',
  `select id, title from eval_cases where suite_id = :suiteId and content_hash = :contentHash limit 1`,
  { suiteId: text, contentHash: text },
  { id: text, title: text },
);

const made = [
  'id',
  'suiteId',
  'projectId',
  'declaredId',
  'title',
  'definition',
  'contentHash',
  'idempotencyKey',
  'requestHash',
] as const;
/** Appends a case to the list. The caller has locked the suite. */
export const insert = query(
  'eval-cases.insert',
  `insert into eval_cases (id, suite_id, project_id, declared_id, title, definition, content_hash, idempotency_key,
     request_hash, position)
   select :id, :suiteId, :projectId, :declaredId, :title, :definition, :contentHash, :idempotencyKey, :requestHash,
     coalesce((select max(position) + 1 from eval_cases where suite_id = :suiteId), 0)
   returning ${cases.all()}`,
  cases.pick(made),
  cases.columns,
);
const many = manyOf({
  ...cases.pick(['id', 'declaredId', 'title', 'contentHash']),
  definition: jsonText,
  /** From 0. */
  nth: integer,
});
/** Appends several cases in order. */
export const insertMany = query(
  'eval-cases.insert-many',
  `insert into eval_cases (id, suite_id, project_id, declared_id, title, definition, content_hash, position)
   select n.id, :suiteId, :projectId, n.declared_id, n.title, n.definition, n.content_hash,
     coalesce((select max(position) + 1 from eval_cases where suite_id = :suiteId), 0)
       + n.nth
   from ${many.from('n')}`,
  { ...many.takes, ...cases.pick(['suiteId', 'projectId']) },
);
export const update = query(
  'eval-cases.update',
  `update eval_cases set ${cases.set(['title', 'definition', 'contentHash'])}, updated_at = now()
   where suite_id = :suiteId and id = :id returning ${cases.all()}`,
  { ...which, ...cases.pick(['title', 'definition', 'contentHash']) },
  cases.columns,
);
export const remove = query(
  'eval-cases.remove',
  'delete from eval_cases where suite_id = :suiteId and id = :id',
  which,
);
/** Assigns new positions after the current last one, so that positions stay unique while they change. */
export const reorder = query(
  'eval-cases.reorder',
  `update eval_cases c set position = o.place
     + (select max(position) from eval_cases where suite_id = :suiteId)
   from unnest(:ids::text[]) with ordinality o (id, place) where c.suite_id = :suiteId and c.id = o.id`,
  { suiteId: text, ids: texts },
);
