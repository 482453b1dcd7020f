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
import { lockOn } from '../common-queries.ts';
import { query } from '../query.ts';

export type RunStatus =
  | 'pending'
  | 'running'
  | 'grading'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'timed_out';
export type RunResult = 'passed' | 'failed' | 'inconclusive';

/** The coverage of a run: all cases of its suite, some of them, or a single case that is being written. */
export type RunCoverage = 'suite' | 'cases' | 'try';

/** The target of a run. Only runs with the same target can be compared. */
export interface RunTarget {
  /** By name. */
  models: Record<string, true>;
  environment: string | null;
  client: string | null;
  withoutSkills?: true;
}

/** Columns that are set when a run is launched and never change. */
const launched = {
  id: text,
  organizationId: text,
  projectId: text,
  suiteId: text,
  runNumber: integer,
  source: text,
  notes: orNull(text),
  startedBy: text,
  keyId: orNull(text),
  environment: orNull(json<{ id: string; name: string | null; revision: number }>()),
  client: orNull(json<unknown>()),
  launcher: orNull(json<unknown>()),
  ci: orNull(json<unknown>()),
  policy: integer,
  runGroupId: orNull(text),
  modelId: orNull(text),
  modelSource: orNull(text),
  suiteRevision: integer,
  name: orNull(text),
  tags: texts,
  metadata: orNull(json<unknown>()),
  importEligibility: orNull(json<unknown>()),
  coverage: orNull(oneOf<RunCoverage>()),
  target: orNull(json<RunTarget>()),
  trials: integer,
  deadlineAt: time,
};
const runs = table(
  'eval_runs',
  {
    ...launched,
    status: oneOf<RunStatus>(),
    result: orNull(oneOf<RunResult>()),
    stopReason: orNull(text),
    error: orNull(text),
    warnings: orNull(json<{ code: string; message: string }[]>()),
    scoreIntegrity: orNull(oneOf<'valid' | 'invalid'>()),
    finished: integer,
    passed: integer,
    failed: integer,
    inputTokens: bigint,
    outputTokens: bigint,
    modelCalls: integer,
    costMicros: orNull(bigint),
    billedMicros: bigint,
    events: integer,
    createdAt: time,
    startedAt: orNull(time),
    completedAt: orNull(time),
  },
  { sealedId: orNull(text), idempotencyKey: orNull(text), requestHash: orNull(text) },
);
export type RunRow = RowOf<typeof runs.columns>;

/** SQL condition for a run without a verdict. */
export const isOpen = "status in ('pending', 'running', 'grading')";
const which = runs.pick(['projectId', 'id']);
const made = [
  ...(Object.keys(launched) as (keyof typeof launched)[]),
  'sealedId',
  'idempotencyKey',
  'requestHash',
] as const;
export const insert = query(
  'eval-runs.insert',
  `${runs.insert(made)} returning ${runs.all()}`,
  runs.pick(made),
  runs.columns,
);
export const insertSnapshot = query(
  'eval-runs.insert-snapshot',
  'insert into eval_run_snapshots (run_id, snapshot) values (:runId, :snapshot)',
  { runId: text, snapshot: json<unknown>() },
);
/** Case names and models of a run, without the rest of its snapshot, which may have megabytes. */
export const caseNames = query(
  'eval-runs.case-names',
  `select c ->> 'id' as id, c ->> 'title' as title, c -> 'variants' as variants
   from eval_run_snapshots s cross join jsonb_array_elements(s.snapshot -> 'cases') c where s.run_id = :runId`,
  { runId: text },
  { id: orNull(text), title: orNull(text), variants: orNull(json<{ model: string }[]>()) },
);
export const snapshot = query(
  'eval-runs.snapshot',
  'select snapshot from eval_run_snapshots where run_id = :runId',
  { runId: text },
  { snapshot: json<unknown>() },
);
/** The snapshot without cases, skills and system prompt, which may be large. */
export const snapshotSettings = query(
  'eval-runs.snapshot-settings',
  `select snapshot - 'cases' - 'skills' - 'systemPrompt' as snapshot from eval_run_snapshots where run_id = :runId`,
  { runId: text },
  { snapshot: json<unknown>() },
);
/** Only the servers of the snapshot, because the rest may be large. */
export const servers = query(
  'eval-runs.servers',
  `select snapshot -> 'servers' as servers from eval_run_snapshots where run_id = :runId`,
  { runId: text },
  { servers: json<{ id: string; name: string }[]>() },
);
/**
 * SQL condition: the run covers all cases of its suite and was not cancelled. Versions before 0032-run-coverage did not
 * store the coverage, but marked reruns of failed cases.
 */
export function isWhole(r: string): string {
  return `(coalesce(${r}.coverage, case when ${r}.metadata ->> 'rerunOf' is null then 'suite' else 'cases' end) = 'suite'
     and ${r}.status <> 'cancelled' and ${r}.source <> 'benchmark')`;
}
/** The target, computed from the snapshot for runs that did not store it: those of older versions and reported ones. */
const targetOf = `coalesce(r.target, jsonb_build_object('environment', r.environment -> 'id', 'client', r.client -> 'id',
     'models', (select coalesce(jsonb_object_agg(coalesce(v ->> 'model', ''), true), '{}') from eval_run_snapshots s
       cross join jsonb_array_elements(s.snapshot -> 'cases') c cross join jsonb_array_elements(c -> 'variants') v
       where s.run_id = r.id)))`;
/** SQL condition that hides runs whose suite is being deleted. */
const visible = `exists (select from eval_suites s where s.id = r.suite_id and s.deleted_at is null)`;
export const find = query(
  'eval-runs.find',
  `select ${runs.all('r')} from eval_runs r where r.project_id = :projectId and r.id = :id and ${visible}`,
  which,
  runs.columns,
);
/** For work on the run itself, which needs no access check. */
export const get = query(
  'eval-runs.get',
  `select ${runs.all('r')}, r.sealed_id as "sealedId" from eval_runs r where r.id = :id`,
  { id: text },
  { ...runs.columns, sealedId: orNull(text) },
);
export const lock = query(
  'eval-runs.lock',
  `select ${runs.all('r')}, r.sealed_id as "sealedId" from eval_runs r where r.id = :id for no key update`,
  { id: text },
  { ...runs.columns, sealedId: orNull(text) },
);
export const byKey = query(
  'eval-runs.by-key',
  `select ${runs.all('r')}, r.request_hash as "requestHash" from eval_runs r
   where r.project_id = :projectId and r.idempotency_key = :idempotencyKey`,
  { projectId: text, idempotencyKey: text },
  { ...runs.columns, requestHash: orNull(text) },
);
export const ofSuite = query(
  'eval-runs.of-suite',
  `select ${runs.all('r')} from eval_runs r
   where r.suite_id = :suiteId and r.source <> 'benchmark' and r.id < :before
     and (not :whole or ${isWhole('r')}) order by r.id desc limit :most`,
  { suiteId: text, whole: flag, before: text, most: bigint },
  runs.columns,
  { index: 'eval_runs_suite' },
);
export const ofProject = query(
  'eval-runs.of-project',
  `select ${runs.all('r')} from eval_runs r
   where r.project_id = :projectId and r.source <> 'benchmark' and r.id < :before and ${visible}
     and (:suiteId::text is null or r.suite_id = :suiteId) and (:status::text is null or r.status = :status)
     and (:result::text is null or r.result = :result) and (not :whole or ${isWhole('r')})
   order by r.id desc limit :most`,
  {
    projectId: text,
    suiteId: orNull(text),
    status: orNull(oneOf<RunStatus>()),
    result: orNull(oneOf<RunResult>()),
    whole: flag,
    before: text,
    most: bigint,
  },
  runs.columns,
  { index: 'eval_runs_project' },
);
/**
 * Completed runs of the whole suite: those before this run, if given on this branch; or those whose commit starts with
 * `commitSha`.
 */
const candidates = {
  where: `r.suite_id = :suiteId and r.status = 'completed' and r.id <> :id and ${isWhole('r')}
     and (:branch::text is null or r.ci ->> 'branch' = :branch)
     and case when :commitSha::text is null then r.id < :id else starts_with(r.ci ->> 'commitSha', :commitSha) end`,
  takes: { suiteId: text, id: text, branch: orNull(text), commitSha: orNull(text) },
};
export const target = query(
  'eval-runs.target',
  `select ${targetOf} as target from eval_runs r where r.id = :id`,
  { id: text },
  { target: json<RunTarget>() },
);
/** Runs to compare a run with: candidates with the same target, latest first. */
export const comparable = query(
  'eval-runs.comparable',
  `select ${runs.all('r')} from eval_runs r
   where ${candidates.where} and ${targetOf} = :target order by r.id desc limit 21`,
  { ...candidates.takes, target: json<RunTarget>() },
  runs.columns,
  { index: 'eval_runs_suite' },
);
/** The latest candidate, whatever its target. */
export const lastCompleted = query(
  'eval-runs.last-completed',
  `select r.run_number as "runNumber", ${targetOf} as target from eval_runs r
   where ${candidates.where} order by r.id desc limit 1`,
  candidates.takes,
  { runNumber: integer, target: json<RunTarget>() },
  { index: 'eval_runs_suite' },
);
/** Serializes the start of runs of one organization, so that their count stays valid. */
export const lockStarts = lockOn('eval-runs.lock-starts', "'eval-runs ' || :organizationId", {
  organizationId: text,
});
/**
 * The number of open runs, where up to `most` runs of a group count as one, and the number of open runs in this group.
 */
export const open = query(
  'eval-runs.open',
  `select coalesce(sum((runs + :most - 1) / :most), 0)::int as count,
     coalesce(max(runs) filter (where of_group = :runGroupId), 0)::int as "ofGroup"
   from (
     select coalesce(r.run_group_id, r.id) as of_group, count(*) as runs
     from eval_runs r join projects p on p.id = r.project_id
     where r.organization_id = :organizationId and r.${isOpen} and r.source <> 'sdk' and p.deleted_at is null
     group by 1) g`,
  { organizationId: text, runGroupId: orNull(text), most: bigint },
  { count: integer, ofGroup: integer },
);
export const openOfProject = query(
  'eval-runs.open-of-project',
  `select id from eval_runs where project_id = :projectId and ${isOpen} order by id limit 100`,
  { projectId: text },
  { id: text },
  { index: 'eval_runs_project' },
);
export const openOfSuite = query(
  'eval-runs.open-of-suite',
  `select exists (select from eval_runs where suite_id = :suiteId and ${isOpen}) as open`,
  { suiteId: text },
  { open: flag },
);
/** Open runs past their deadline. */
export const listOverdue = query(
  'eval-runs.list-overdue',
  `select id, source from eval_runs where deadline_at < now() and ${isOpen} and status <> 'grading'
   order by deadline_at limit 100`,
  {},
  { id: text, source: text },
  { index: 'eval_runs_deadline' },
);
/** Undecided runs whose trials have all ended. Reported runs are ended by their reporter. */
export const undecided = query(
  'eval-runs.undecided',
  `select r.id from eval_runs r where r.deadline_at > now() and ${isOpen} and r.status <> 'grading'
     and r.finished >= r.trials and r.source <> 'sdk'
   order by r.deadline_at limit 100`,
  {},
  { id: text },
  { index: 'eval_runs_deadline' },
);
/** Moves a run whose trials have ended to grading. Returns no row if it is already there or has ended. */
export const grade = query(
  'eval-runs.grade',
  `update eval_runs set status = 'grading', deadline_at = :deadlineAt
   where id = :id and status in ('pending', 'running') returning id`,
  { id: text, deadlineAt: time },
  { id: text },
);
/** Undecided runs whose judgement has ended or timed out. */
export const graded = query(
  'eval-runs.graded',
  `select r.id from eval_runs r left join eval_run_judgements j on j.run_id = r.id
   where r.status = 'grading' and (j.status is distinct from 'pending' or j.deadline_at < now()) limit 100`,
  {},
  { id: text },
);
/** Returns the run if it still waits for its judge after the deadline. */
export const findAwaitingJudge = query(
  'eval-runs.find-awaiting-judge',
  `select id from eval_runs where id = :id and status = 'grading' and deadline_at < now()`,
  { id: text },
  { id: text },
);
/** Recounts passed and failed trials, because a judge may have changed results. */
export const recount = query(
  'eval-runs.recount',
  `update eval_runs r set passed = c.passed, failed = r.finished - c.passed
   from (select count(*)::int as passed from eval_results where run_id = :id and result = 'passed') c where r.id = :id`,
  { id: text },
);

/** Adds reported trials to the counts of their run. */
export const addReported = query(
  'eval-runs.add-reported',
  `with described as (update eval_run_snapshots set snapshot = :snapshot where run_id = :id)
   update eval_runs set trials = trials + :trials, finished = finished + :trials, passed = passed + :passed,
     failed = failed + :trials - :passed, input_tokens = input_tokens + :inputTokens,
     output_tokens = output_tokens + :outputTokens, cost_micros = null, status = 'running',
     started_at = coalesce(started_at, now()), deadline_at = :deadlineAt
   where id = :id`,
  {
    id: text,
    snapshot: json<unknown>(),
    trials: integer,
    passed: integer,
    inputTokens: bigint,
    outputTokens: bigint,
    deadlineAt: time,
  },
);

const over = {
  id: text,
  status: oneOf<RunStatus>(),
  result: orNull(oneOf<RunResult>()),
  stopReason: orNull(text),
  error: orNull(text),
  warnings: runs.columns.warnings,
  scoreIntegrity: orNull(oneOf<'valid' | 'invalid'>()),
};
/** Serializes the ends of runs of one project. Acquired before any row of a run is locked, to avoid deadlocks. */
export const queueToEnd = lockOn('eval-runs.queue-to-end', "'eval-run-ends ' || :projectId", {
  projectId: text,
});
/**
 * Ends a run and deletes the API keys sent with it. Returns no row if it has already ended, or if its trials are not
 * those that were counted. The end time is later than that of every ended run in the project, so that exports find new
 * runs behind the known ones.
 */
export const end = query(
  'eval-runs.end',
  `update eval_runs r set status = :status, result = :result, stop_reason = :stopReason, error = :error,
     warnings = :warnings, score_integrity = :scoreIntegrity, sealed_id = null, completed_at = greatest(clock_timestamp(), (
       select max(o.completed_at) + interval '1 ms' from eval_runs o
       where o.project_id = r.project_id and o.completed_at is not null))
   where r.id = :id and ${isOpen} and r.trials = :trials returning ${runs.all('r')}`,
  { ...over, trials: integer },
  runs.columns,
);
