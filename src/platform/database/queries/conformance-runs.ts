import {
  bigint,
  flag,
  float,
  integer,
  json,
  listOf,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

export type SuiteKind = 'protocol' | 'apps' | 'tasks' | 'oauth';
export type RunStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
export type Outcome = 'passed' | 'failed' | 'incomplete';

/** Columns that are set when a run begins and never change. */
const begun = {
  id: text,
  organizationId: text,
  projectId: text,
  serverId: orNull(text),
  hosted: flag,
  source: text,
  target: json<Record<string, unknown> & { kind: string }>(),
  requestedSuites: listOf(oneOf<SuiteKind>()),
  protocolVersion: orNull(text),
  engineVersion: orNull(text),
  actorLabel: orNull(text),
  ci: orNull(json<Record<string, unknown>>()),
  externalRunId: orNull(text),
  startedBy: text,
  status: oneOf<RunStatus>(),
};
const runs = table(
  'conformance_runs',
  {
    ...begun,
    jobId: orNull(text),
    outcome: orNull(oneOf<Outcome>()),
    score: orNull(float),
    passed: integer,
    failed: integer,
    skipped: integer,
    pending: integer,
    reason: orNull(text),
    createdAt: time,
    startedAt: orNull(time),
    completedAt: orNull(time),
  },
  { heardAt: time },
);
export type ConformanceRunRow = RowOf<typeof runs.columns>;

const isOpen = "status in ('pending', 'running')";
const which = { projectId: text, id: text };

const made = [...(Object.keys(begun) as (keyof typeof begun)[]), 'startedAt'] as const;
export const insert = query(
  'conformance-runs.insert',
  `${runs.insert(made)} returning ${runs.all()}`,
  runs.pick(made),
  runs.columns,
);
export const find = query(
  'conformance-runs.find',
  `select ${runs.all()} from conformance_runs where project_id = :projectId and id = :id`,
  which,
  runs.columns,
);
export const lock = query(
  'conformance-runs.lock',
  `select ${runs.all()} from conformance_runs where project_id = :projectId and id = :id for no key update`,
  which,
  runs.columns,
);
export const byKey = query(
  'conformance-runs.by-key',
  `select ${runs.all()} from conformance_runs
   where project_id = :projectId and external_run_id = :externalRunId for no key update`,
  { projectId: text, externalRunId: text },
  runs.columns,
);
const page = { projectId: text, before: orNull(text), most: bigint };
const ordered = '(:before::text is null or id < :before) order by id desc limit :most';
export const list = query(
  'conformance-runs.list',
  `select ${runs.all()} from conformance_runs where project_id = :projectId and ${ordered}`,
  page,
  runs.columns,
  { index: 'conformance_runs_project' },
);
export const listOfServer = query(
  'conformance-runs.list-of-server',
  `select ${runs.all()} from conformance_runs
   where server_id = :serverId and project_id = :projectId and ${ordered}`,
  { ...page, serverId: text },
  runs.columns,
  { index: 'conformance_runs_server' },
);
/** Records that the reporter is still active. */
export const recordHeartbeat = query(
  'conformance-runs.record-heartbeat',
  `update conformance_runs set heard_at = now(), status = 'running', started_at = coalesce(started_at, now())
   where id = :id and ${isOpen}`,
  { id: text },
);
export const setJob = query(
  'conformance-runs.set-job',
  'update conformance_runs set job_id = :jobId where id = :id',
  { id: text, jobId: text },
);
/** Returns no row if the run has already ended. */
export const end = query(
  'conformance-runs.end',
  `update conformance_runs set ${runs.set(['status', 'outcome', 'score', 'passed', 'failed', 'skipped', 'pending', 'reason'])},
     completed_at = greatest(now(), started_at), started_at = coalesce(started_at, now())
   where id = :id and ${isOpen} returning ${runs.all()}`,
  runs.pick(['id', 'status', 'outcome', 'score', 'passed', 'failed', 'skipped', 'pending', 'reason']),
  runs.columns,
);
/** Open reported runs without a report for `after` milliseconds. */
/** Milliseconds without a report after which a reported run is ended. */
export const silence = 600_000;
export const silent = query(
  'conformance-runs.silent',
  `select id, project_id as "projectId" from conformance_runs
   where heard_at < now() - :after * interval '1 millisecond' and ${isOpen} and not hosted
   order by heard_at limit 100`,
  { after: float },
  { id: text, projectId: text },
  { index: 'conformance_runs_heard' },
);
/** Locks a silent run, unless a report has arrived since. */
export const lockSilent = query(
  'conformance-runs.lock-silent',
  `select ${runs.all()} from conformance_runs where project_id = :projectId and id = :id
     and heard_at < now() - :after * interval '1 millisecond' and ${isOpen} for no key update`,
  { ...which, after: float },
  runs.columns,
);
/** Serializes the start of runs of one organization, so that their count stays valid. */
export const lockStarts = query(
  'conformance-runs.lock-starts',
  `select from pg_advisory_xact_lock(hashtextextended('conformance-runs ' || :organizationId, 4700))`,
  { organizationId: text },
);
/** The number of hosted runs that an organization has started within 24 hours. */
export const countOfDay = query(
  'conformance-runs.count-of-day',
  `select count(*) as count from conformance_runs
   where organization_id = :organizationId and hosted and created_at > now() - interval '1 day'`,
  { organizationId: text },
  { count: bigint },
);
/** The number of other hosted runs of the organization that are running. A run older than a day counts as ended. */
export const countRunning = query(
  'conformance-runs.count-running',
  `select count(*) as count from conformance_runs
   where organization_id = :organizationId and hosted and created_at > now() - interval '1 day'
     and status = 'running' and id <> :except`,
  { organizationId: text, except: text },
  { count: bigint },
);

const summary = {
  suiteKind: oneOf<SuiteKind>(),
  contentHash: text,
  outcome: oneOf<Outcome>(),
  incompleteReason: orNull(text),
  score: orNull(float),
  profileId: orNull(text),
  passed: integer,
  failed: integer,
  skipped: integer,
  pending: integer,
  totalCases: integer,
  durationMs: orNull(integer),
};
const reports = table(
  'conformance_reports',
  { runId: text, ...summary },
  { body: orNull(text), blobId: orNull(text) },
);
export type ReportRow = RowOf<typeof reports.columns>;

const stored = ['runId', ...(Object.keys(summary) as (keyof typeof summary)[]), 'body', 'blobId'] as const;
export const insertReport = query(
  'conformance-runs.insert-report',
  reports.insert(stored),
  reports.pick(stored),
);
/** Report summaries of several runs, without the bodies. */
export const reportsOf = query(
  'conformance-runs.reports-of',
  `select ${reports.all()} from conformance_reports where run_id = any(:runIds)`,
  { runIds: texts },
  reports.columns,
);
/** Full reports of a run, ordered by suite. */
export const bodiesOf = query(
  'conformance-runs.bodies-of',
  `select suite_kind as "suiteKind", body, blob_id as "blobId" from conformance_reports
   where run_id = :runId order by suite_kind`,
  { runId: text },
  { suiteKind: oneOf<SuiteKind>(), body: orNull(text), blobId: orNull(text) },
);
