import { float, integer, json, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { projectRows } from '../common-queries.ts';
import { query } from '../query.ts';

const journeys = table('journeys', {
  id: text,
  projectId: text,
  name: text,
  goal: text,
  personaId: text,
  swarmId: orNull(text),
  environmentIds: texts,
  hostIds: texts,
  serverGroupId: orNull(text),
  sessionsPerTarget: orNull(integer),
  maxTurns: orNull(integer),
  rubric: orNull(json<unknown>()),
  judge: json<unknown>(),
  passThreshold: float,
  archivedAt: orNull(time),
  createdAt: time,
  updatedAt: time,
});
export type JourneyRow = RowOf<typeof journeys.columns>;

const one = { projectId: text, id: text };
const live = `project_id = :projectId and id = :id and archived_at is null`;

/** Live journeys of a project, latest first. */
export const { list, find, count } = projectRows(journeys, 'journeys_live', 'archived_at is null');
/** Finds a journey, whether archived or not. */
export const findAny = query(
  'journeys.find-any',
  `select ${journeys.all()} from journeys where project_id = :projectId and id = :id`,
  one,
  journeys.columns,
);
/** Locks the journey against changes until the transaction ends. */
export const lock = query(
  'journeys.lock',
  `select ${journeys.all()} from journeys where ${live} for no key update`,
  one,
  journeys.columns,
);
/** Finds an active journey that uses the persona. */
export const withPersona = query(
  'journeys.with-persona',
  'select id, name from journeys where persona_id = :personaId and archived_at is null order by id limit 1',
  { personaId: text },
  { id: text, name: text },
  { index: 'journeys_persona' },
);

/** The number of active journeys that run with this client directly, not through an environment. */
export const countWithHost = query(
  'journeys.count-with-host',
  `select count(*)::int as count from journeys
   where project_id = :projectId and archived_at is null and cardinality(environment_ids) = 0 and :hostId = any(host_ids)`,
  { projectId: text, hostId: text },
  { count: integer },
);

const changed = [
  'name',
  'goal',
  'environmentIds',
  'hostIds',
  'serverGroupId',
  'sessionsPerTarget',
  'maxTurns',
  'rubric',
  'judge',
  'passThreshold',
] as const;
const made = ['id', 'projectId', 'personaId', 'swarmId', ...changed] as const;
export const insert = query(
  'journeys.insert',
  `${journeys.insert(made)} returning ${journeys.all()}`,
  journeys.pick(made),
  journeys.columns,
);
export const update = query(
  'journeys.update',
  `update journeys set ${journeys.set(changed)}, updated_at = now() where ${live} returning ${journeys.all()}`,
  { ...one, ...journeys.pick(changed) },
  journeys.columns,
);
/** Archiving is idempotent: the first date stays. */
export const archive = query(
  'journeys.archive',
  `update journeys set archived_at = coalesce(archived_at, now()) where project_id = :projectId and id = :id
   returning id`,
  one,
  { id: text },
);
