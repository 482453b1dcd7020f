import {
  bigint,
  flag,
  float,
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

/** Notification channel for changes of a run or its sessions; the payload is the ID of the run. */
export const runsChannel = 'drydock_journey_runs';

/** Notification channel for runs that have ended. */
export const overChannel = 'drydock_journey_runs_over';

export type JourneyRunStatus = 'running' | 'completed' | 'partial' | 'failed' | 'rate_limited';

const runs = table('journey_runs', {
  id: text,
  organizationId: text,
  projectId: text,
  journeyId: text,
  waveId: text,
  status: oneOf<JourneyRunStatus>(),
  error: orNull(text),
  startedBy: text,
  journeyName: text,
  persona: json<unknown>(),
  targets: json<unknown>(),
  total: integer,
  succeeded: integer,
  failed: integer,
  rateLimited: integer,
  toGrade: integer,
  graded: integer,
  rubric: orNull(json<unknown>()),
  judged: flag,
  passThreshold: float,
  verdict: orNull(json<unknown>()),
  tally: orNull(json<unknown>()),
  createdAt: time,
  completedAt: orNull(time),
  updatedAt: time,
});
export type JourneyRunRow = RowOf<typeof runs.columns>;

const one = { projectId: text, id: text };

export const find = query(
  'journey-runs.find',
  `select ${runs.all()} from journey_runs where project_id = :projectId and id = :id`,
  one,
  runs.columns,
);
export const get = query(
  'journey-runs.get',
  `select ${runs.all()} from journey_runs where id = :id`,
  { id: text },
  runs.columns,
);
/** Locks the run. Every transaction that ends sessions locks it first, to avoid deadlocks. */
export const lock = query(
  'journey-runs.lock',
  `select ${runs.all()} from journey_runs where id = :id for no key update`,
  { id: text },
  runs.columns,
);
export const byKey = query(
  'journey-runs.by-key',
  `select ${runs.all()}, request_hash as "requestHash" from journey_runs
   where project_id = :projectId and idempotency_key = :idempotencyKey`,
  { projectId: text, idempotencyKey: text },
  { ...runs.columns, requestHash: orNull(text) },
);
export const snapshot = query(
  'journey-runs.snapshot',
  'select snapshot from journey_run_snapshots where run_id = :runId',
  { runId: text },
  { snapshot: json<unknown>() },
);

const page = { before: orNull(text), most: bigint };
const behind = `(:before::text is null or id < :before) order by id desc limit :most`;
/** Runs of a journey, latest first. */
export const listOfJourney = query(
  'journey-runs.list-of-journey',
  `select ${runs.all()} from journey_runs where journey_id = :journeyId and ${behind}`,
  { journeyId: text, ...page },
  runs.columns,
  { index: 'journey_runs_journey' },
);
export const listOfProject = query(
  'journey-runs.list-of-project',
  `select ${runs.all('r')}, j.archived_at is not null as "journeyArchived"
   from (select * from journey_runs where project_id = :projectId order by id desc limit :most) r
   join journeys j on j.id = r.journey_id order by r.id desc`,
  { projectId: text, most: bigint },
  { ...runs.columns, journeyArchived: flag },
);
export type OverviewRunRow = RowOf<typeof listOfProject.gives>;
export const ofWave = query(
  'journey-runs.of-wave',
  `select ${runs.all()} from journey_runs where project_id = :projectId and wave_id = :waveId order by id limit 200`,
  { projectId: text, waveId: text },
  runs.columns,
  { index: 'journey_runs_wave' },
);
export const openOfProject = query(
  'journey-runs.open-of-project',
  `select id from journey_runs where project_id = :projectId and status = 'running' order by id limit 100`,
  { projectId: text },
  { id: text },
);

const made = [
  'id',
  'organizationId',
  'projectId',
  'journeyId',
  'waveId',
  'startedBy',
  'journeyName',
  'persona',
  'targets',
  'total',
  'rubric',
  'judged',
  'passThreshold',
] as const;
export const insert = query(
  'journey-runs.insert',
  `with run as (
     insert into journey_runs (id, organization_id, project_id, journey_id, wave_id, started_by, journey_name, persona,
       targets, total, rubric, judged, pass_threshold, idempotency_key, request_hash)
     values (:id, :organizationId, :projectId, :journeyId, :waveId, :startedBy, :journeyName, :persona, :targets, :total,
       :rubric, :judged, :passThreshold, :idempotencyKey, :requestHash) returning *),
   made as (insert into journey_run_snapshots (run_id, snapshot) select id, :snapshot from run)
   select ${runs.all('run')} from run`,
  {
    ...runs.pick(made),
    idempotencyKey: orNull(text),
    requestHash: orNull(text),
    snapshot: json<unknown>(),
  },
  runs.columns,
);
/** Adds ended sessions to the counts of their run. */
export const count = query(
  'journey-runs.count',
  `update journey_runs set succeeded = succeeded + :succeeded, failed = failed + :failed,
     rate_limited = rate_limited + :rateLimited, to_grade = to_grade + :toGrade, updated_at = now()
   where id = :id returning ${runs.all()}`,
  { id: text, succeeded: integer, failed: integer, rateLimited: integer, toGrade: integer },
  runs.columns,
);
export const end = query(
  'journey-runs.end',
  `with ended as (
     update journey_runs set status = :status, error = :error, completed_at = now(), updated_at = now()
     where id = :id and status = 'running' returning *),
   announced as (select pg_notify('${overChannel}', id) from ended)
   select ${runs.all('e')} from ended e left join announced on true`,
  { id: text, status: text, error: orNull(text) },
  runs.columns,
);
export const addGraded = query(
  'journey-runs.add-graded',
  `update journey_runs set graded = graded + 1, updated_at = now() where id = :id returning ${runs.all()}`,
  { id: text },
  runs.columns,
);
export const setVerdict = query(
  'journey-runs.set-verdict',
  `update journey_runs set verdict = :verdict, tally = :tally where id = :id`,
  { id: text, verdict: json<unknown>(), tally: json<unknown>() },
);
/**
 * Running runs whose sessions have not been worked on for `seconds`, except runs whose sessions wait while other
 * sessions are running.
 */
export const silent = query(
  'journey-runs.silent',
  `select r.id from journey_runs r where r.status = 'running' and r.created_at < now() - :seconds * interval '1 s'
     and not exists (select from journey_sessions s where s.run_id = r.id and (
       s.touched_at > now() - :seconds * interval '1 s' or (s.state = 'running' and s.due_at > now())
       or (s.state = 'waiting' and s.due_at is not null
         and exists (select from journey_sessions o where o.state = 'running' and o.due_at > now()))))
   order by r.created_at limit 100`,
  { seconds: float },
  { id: text },
  { index: 'journey_runs_open' },
);
export const announce = query('journey-runs.announce', `select from pg_notify('${runsChannel}', :id)`, {
  id: text,
});

/** Stores the tools of a target as its servers declare them. The first session's list is kept. */
export const keepTools = query(
  'journey-runs.keep-tools',
  `insert into journey_run_tools (run_id, target, tools) values (:runId, :target, :tools) on conflict do nothing`,
  { runId: text, target: integer, tools: json<unknown>() },
);
export const tools = query(
  'journey-runs.tools',
  'select tools from journey_run_tools where run_id = :runId and target = :target',
  { runId: text, target: integer },
  { tools: json<unknown>() },
);
