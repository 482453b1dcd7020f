import { integer, json, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { projectRows } from '../common-queries.ts';
import { query } from '../query.ts';

const swarms = table('swarms', {
  id: text,
  projectId: text,
  name: text,
  description: orNull(text),
  environmentIds: texts,
  sessionsPerTarget: orNull(integer),
  maxTurns: orNull(integer),
  rubric: orNull(json<unknown>()),
  archivedAt: orNull(time),
  createdAt: time,
  updatedAt: time,
});
export type SwarmRow = RowOf<typeof swarms.columns>;

const one = { projectId: text, id: text };
const live = `project_id = :projectId and id = :id and archived_at is null`;

/** Live swarms of a project, latest first. */
export const { list, find, count } = projectRows(swarms, 'swarms_live', 'archived_at is null');
/** Locks the swarm against changes until the transaction ends. */
export const lock = query(
  'swarms.lock',
  `select ${swarms.all()} from swarms where ${live} for no key update`,
  one,
  swarms.columns,
);

const changed = ['name', 'description', 'environmentIds', 'sessionsPerTarget', 'maxTurns', 'rubric'] as const;
const made = ['id', 'projectId', ...changed] as const;
export const insert = query(
  'swarms.insert',
  `${swarms.insert(made)} returning ${swarms.all()}`,
  swarms.pick(made),
  swarms.columns,
);
export const update = query(
  'swarms.update',
  `update swarms set ${swarms.set(changed)}, updated_at = now() where ${live} returning ${swarms.all()}`,
  { ...one, ...swarms.pick(changed) },
  swarms.columns,
);
/** Archiving is idempotent: the first date stays. */
export const archive = query(
  'swarms.archive',
  `update swarms set archived_at = coalesce(archived_at, now()) where project_id = :projectId and id = :id
   returning id`,
  one,
  { id: text },
);
