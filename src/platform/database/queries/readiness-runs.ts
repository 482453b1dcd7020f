import {
  bigint,
  flag,
  integer,
  json,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

type Kind = 'claude' | 'openai';
type Status = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
type Verdict = 'ready' | 'not-ready' | 'incomplete';

const runs = table(
  'readiness_runs',
  {
    id: text,
    organizationId: text,
    projectId: text,
    serverId: text,
    serverUrl: text,
    kind: oneOf<Kind>(),
    submissionMode: orNull(oneOf<'mcp-only' | 'mcp-imported-skills'>()),
    status: oneOf<Status>(),
    overallStatus: orNull(oneOf<Verdict>()),
    lanes: json<unknown>(),
    stages: json<unknown>(),
    authMode: orNull(oneOf<'headless' | 'interactive' | 'provided-token'>()),
    capabilities: texts,
    attemptCount: integer,
    terminalReason: orNull(text),
    errorMessage: orNull(text),
    policySnapshotDate: text,
    engineVersion: text,
    sdkVersion: text,
    includeLlmObservations: flag,
    llmObservations: json<unknown>(),
    options: json<unknown>(),
    startedBy: text,
    createdAt: time,
    updatedAt: time,
  },
  {
    jobId: orNull(text),
    idempotencyKey: orNull(text),
    requestHash: orNull(text),
    reportBody: orNull(text),
    reportBlobId: orNull(text),
  },
);
const shown = { ...runs.columns, hasReport: flag };
const shownColumns = `${runs.all()}, (report_body is not null or report_blob_id is not null) as "hasReport"`;
export type ReadinessRunRow = RowOf<typeof shown>;

const one = { projectId: text, id: text };
export const find = query(
  'readiness-runs.find',
  `select ${shownColumns} from readiness_runs where id = :id and project_id = :projectId`,
  one,
  shown,
);
/** For the job that performs the run, without an access check. */
export const get = query(
  'readiness-runs.get',
  `select ${shownColumns} from readiness_runs where id = :runId`,
  { runId: text },
  shown,
);
export const report = query(
  'readiness-runs.report',
  `select report_body as body, report_blob_id as "blobId" from readiness_runs
   where id = :id and project_id = :projectId`,
  one,
  { body: orNull(text), blobId: orNull(text) },
);
export const byKey = query(
  'readiness-runs.by-key',
  `select ${shownColumns}, request_hash as "requestHash" from readiness_runs
   where project_id = :projectId and server_id = :serverId and kind = :kind and idempotency_key = :idempotencyKey`,
  { ...runs.pick(['projectId', 'serverId', 'kind']), idempotencyKey: text },
  { ...shown, requestHash: orNull(text) },
);

const page = { before: orNull(text), most: bigint, kind: orNull(oneOf<Kind>()) };
const behind = `(:kind::text is null or kind = :kind) and (:before::text is null or id < :before)
   order by id desc limit :most`;
/** Latest run first. */
export const list = query(
  'readiness-runs.list',
  `select ${shownColumns} from readiness_runs where project_id = :projectId and ${behind}`,
  { projectId: text, ...page },
  shown,
  { index: 'readiness_runs_project' },
);
export const listOfServer = query(
  'readiness-runs.list-of-server',
  `select ${shownColumns} from readiness_runs
   where project_id = :projectId and server_id = :serverId and ${behind}`,
  { projectId: text, serverId: text, ...page },
  shown,
  { index: 'readiness_runs_server' },
);

/** Serializes the start of runs of one organization, so that their count stays valid. */
export const lockStarts = query(
  'readiness-runs.lock-starts',
  `select from pg_advisory_xact_lock(hashtextextended('readiness-runs ' || :organizationId, 4700))`,
  { organizationId: text },
);
export const countOpen = query(
  'readiness-runs.count-open',
  `select count(*) as count from readiness_runs
   where organization_id = :organizationId and status in ('pending', 'running')`,
  { organizationId: text },
  { count: bigint },
);
/** Counts the runs since midnight UTC. */
export const countToday = query(
  'readiness-runs.count-today',
  `select count(*) as count from readiness_runs where organization_id = :organizationId
     and created_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`,
  { organizationId: text },
  { count: bigint },
);

const made = [
  'id',
  'organizationId',
  'projectId',
  'serverId',
  'serverUrl',
  'kind',
  'submissionMode',
  'policySnapshotDate',
  'engineVersion',
  'sdkVersion',
  'includeLlmObservations',
  'llmObservations',
  'options',
  'startedBy',
  'jobId',
  'idempotencyKey',
  'requestHash',
] as const;
export const insert = query(
  'readiness-runs.insert',
  `${runs.insert(made)} returning ${shownColumns}`,
  runs.pick(made),
  shown,
);
/** Begins an attempt. Also called when a run is repeated after a crash. */
export const begin = query(
  'readiness-runs.begin',
  `update readiness_runs set status = 'running', attempt_count = attempt_count + 1, updated_at = now()
   where id = :runId and status in ('pending', 'running') returning ${shownColumns}`,
  { runId: text },
  shown,
);

const ended = [
  'status',
  'overallStatus',
  'lanes',
  'stages',
  'authMode',
  'capabilities',
  'terminalReason',
  'errorMessage',
  'llmObservations',
  'reportBody',
  'reportBlobId',
] as const;
/** Writes the results, unless the run has already ended. */
export const settle = query(
  'readiness-runs.settle',
  `update readiness_runs set ${runs.set(ended)}, updated_at = now()
   where id = :id and status in ('pending', 'running') returning ${shownColumns}`,
  { id: text, ...runs.pick(ended) },
  shown,
);
/** Ends a run that failed or was cancelled. */
export const end = query(
  'readiness-runs.end',
  `update readiness_runs set ${runs.set(['status', 'terminalReason', 'errorMessage', 'llmObservations'])},
     updated_at = now()
   where id = :id and status in ('pending', 'running') returning ${shownColumns}`,
  { id: text, ...runs.pick(['status', 'terminalReason', 'errorMessage', 'llmObservations']) },
  shown,
);
export const jobOf = query(
  'readiness-runs.job',
  'select job_id as "jobId" from readiness_runs where id = :id',
  { id: text },
  runs.pick(['jobId']),
);
