import {
  bigint,
  flag,
  integer,
  json,
  jsonText,
  listOf,
  manyOf,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';
import { eventsChannel } from './eval-run-events.ts';
import { type LeasedRowOf, leaseQueries } from './leases.ts';

const own = {
  projectId: text,
  runId: text,
  position: integer,
  caseId: text,
  variant: integer,
  number: integer,
};
export type TrialRow = LeasedRowOf<typeof own>;
export const leases = leaseQueries('eval_trials', own);

/** Inserts all trials of a run in one statement; the announcement is delivered when the transaction commits. */
export const insert = query(
  'eval-trials.insert',
  `with added as (
     insert into eval_trials (id, organization_id, project_id, run_id, position, case_id, variant, number)
     select n.id, :organizationId, :projectId, :runId, n.position, n.case_id, n.variant, n.number
     from unnest(:ids::text[], :positions::int[], :caseIds::text[], :variants::int[], :numbers::int[])
       as n (id, position, case_id, variant, number)
     returning id),
   announced as (select pg_notify('${leases.dueChannel}', 'trial') from added limit 1)
   select from announced`,
  {
    organizationId: text,
    projectId: text,
    runId: text,
    ids: texts,
    positions: listOf(integer),
    caseIds: texts,
    variants: listOf(integer),
    numbers: listOf(integer),
  },
);
export const openIds = query(
  'eval-trials.open-ids',
  'select id from eval_trials where run_id = :runId and due_at is not null',
  { runId: text },
  { id: text },
);
export const running = query(
  'eval-trials.running',
  `select count(*)::int as count from eval_trials where run_id = :runId and due_at > now() and state = 'running'`,
  { runId: text },
  { count: integer },
);

export type TrialStatus = 'completed' | 'failed' | 'cancelled' | 'timed_out' | 'setup_failed' | 'skipped';

const results = table('eval_results', {
  trialId: text,
  runId: text,
  position: integer,
  caseId: text,
  variant: integer,
  number: integer,
  status: oneOf<TrialStatus>(),
  result: orNull(oneOf<'passed' | 'failed'>()),
  evaluatorError: flag,
  startedAt: orNull(time),
  finishedAt: time,
  durationMs: orNull(integer),
  totalTokens: orNull(bigint),
  costMicros: orNull(bigint),
  detail: json<unknown>(),
  stages: json<unknown>(),
});

const resultsOf = table('eval_results', { ...results.columns, organizationId: text });

const recordedTrial = {
  leaseToken: text,
  state: oneOf<'done' | 'failed'>(),
  lastError: orNull(text),
  ...results.columns,
  detail: jsonText,
  stages: jsonText,
  traceBody: orNull(text),
  traceBlobId: orNull(text),
  inputTokens: bigint,
  outputTokens: bigint,
  modelCalls: integer,
  billedMicros: bigint,
  events: jsonText,
};
export type RecordedTrial = RowOf<typeof recordedTrial>;
const recorded = manyOf(recordedTrial);
/**
 * Ends the leases of trials and writes their results, traces and pending amounts for their runs. Returns the IDs of the
 * trials whose lease was not lost; nothing is written for the others.
 */
export const record = query(
  'eval-trials.record',
  `with given as materialized (select * from ${recorded.from('n')}),
   held as materialized (
     select t.id, t.organization_id from eval_trials t join given g on g.trial_id = t.id
     where t.lease_token = g.lease_token and t.state = 'running' order by t.id for update of t),
   ended as (
     update eval_trials t set state = g.state, last_error = g.last_error, lease_token = null, due_at = null,
       finished_at = now()
     from given g where t.id = g.trial_id and t.id = any(array(select id from held))),
   kept as materialized (select g.*, h.organization_id from given g join held h on h.id = g.trial_id),
   result as (${resultsOf.insertFrom('kept')}),
   trace as (
     insert into eval_traces (trial_id, organization_id, run_id, body, blob_id)
     select trial_id, organization_id, run_id, trace_body, trace_blob_id from kept
     where trace_body is not null or trace_blob_id is not null),
   added as (
     insert into eval_tally (trial_id, organization_id, run_id, passed, input_tokens, output_tokens, model_calls, cost_micros,
       billed_micros, events)
     select trial_id, organization_id, run_id, result is not distinct from 'passed', input_tokens, output_tokens, model_calls,
       cost_micros, billed_micros, events from kept)
   select id from held`,
  recorded.takes,
  { id: text },
);
const reportedResults = table('eval_results', {
  ...resultsOf.columns,
  externalId: orNull(text),
  contentHash: orNull(text),
});
const reported = manyOf({
  trialId: text,
  position: integer,
  caseId: text,
  variant: integer,
  number: integer,
  passed: flag,
  durationMs: orNull(integer),
  totalTokens: orNull(bigint),
  detail: jsonText,
  warning: orNull(text),
  traceBody: orNull(text),
  traceBlobId: orNull(text),
  externalId: orNull(text),
  contentHash: orNull(text),
});
/** Inserts trials of a run that ran elsewhere, with their results. `stages` is that of a trial without a warning. */
export const insertReported = query(
  'eval-trials.insert-reported',
  `with given as materialized (
     select *, :organizationId::text as organization_id, :runId::text as run_id, :finishedAt::timestamptz as finished_at
     from ${reported.from('n')}),
   trial as (
     insert into eval_trials (id, organization_id, project_id, run_id, position, case_id, variant, number, state, due_at,
       attempts, finished_at)
     select trial_id, organization_id, :projectId, run_id, position, case_id, variant, number, 'done', null, 1, finished_at
     from given),
   trace as (
     insert into eval_traces (trial_id, organization_id, run_id, body, blob_id)
     select trial_id, organization_id, run_id, trace_body, trace_blob_id from given
     where trace_body is not null or trace_blob_id is not null),
   result as (
     select *, 'completed' as status, case when passed then 'passed' else 'failed' end as result,
       false as evaluator_error, finished_at - duration_ms * interval '1 millisecond' as started_at,
       null::bigint as cost_micros,
       case when warning is null then :stages::jsonb
         else :stages::jsonb || jsonb_build_object('warning', warning) end as stages
     from given)
   ${reportedResults.insertFrom('result')}`,
  {
    ...reported.takes,
    organizationId: text,
    projectId: text,
    runId: text,
    finishedAt: time,
    stages: jsonText,
  },
);
export type ReportedTrial = RowOf<(typeof reported)['row']>;
/** Reported trials of a run by external ID. */
export const knownReported = query(
  'eval-trials.known-reported',
  `select external_id as "externalId", content_hash as "contentHash" from eval_results
   where run_id = :runId and external_id = any(:externalIds)`,
  { runId: text, externalIds: texts },
  { externalId: orNull(text), contentHash: orNull(text) },
  { index: 'eval_results_external' },
);
/**
 * Adds ended trials to the counts and events of their runs, and removes the pending amounts in the same statement, so
 * that each trial is counted once. Runs are locked in the order of their IDs.
 */
export const tally = query(
  'eval-trials.tally',
  `with taken as (delete from eval_tally where run_id = any(:runIds) returning *),
   ranked as (
     select *, row_number() over (partition by run_id order by at, trial_id) as nth,
       sum(jsonb_array_length(events)) over (partition by run_id order by at, trial_id) - jsonb_array_length(events) as told
     from taken),
   sums as (
     select run_id, count(*)::int as ended, count(*) filter (where passed)::int as passed,
       sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
       sum(model_calls)::int as model_calls,
       case when bool_or(cost_micros is null) then null else sum(cost_micros)::bigint end as cost_micros,
       sum(billed_micros)::bigint as billed_micros, sum(jsonb_array_length(events))::int as events
     from taken group by run_id),
   locked as materialized (
     select r.id from eval_runs r where r.id = any(:runIds) and r.id in (select run_id from sums)
     order by r.id for no key update of r),
   counted as (
     update eval_runs r set finished = r.finished + s.ended, passed = r.passed + s.passed,
       failed = r.failed + s.ended - s.passed, input_tokens = r.input_tokens + s.input_tokens,
       output_tokens = r.output_tokens + s.output_tokens, model_calls = r.model_calls + s.model_calls,
       cost_micros = r.cost_micros + s.cost_micros, billed_micros = r.billed_micros + s.billed_micros,
       events = r.events + s.events, started_at = coalesce(r.started_at, now()),
       status = case when r.status = 'pending' then 'running' else r.status end
     from sums s where r.id = s.run_id and r.id = any(array(select id from locked))
     returning r.id, r.organization_id, r.status, r.trials, r.finished, r.finished - s.ended as before, r.events - s.events as first),
   told as (
     insert into eval_run_events (run_id, organization_id, number, data)
     select c.id, c.organization_id, c.first + t.told + n.place - 1,
       case when n.data ->> 'type' = 'trial.finished'
         then n.data || jsonb_build_object('finished', c.before + t.nth, 'trials', c.trials) else n.data end
     from counted c join ranked t on t.run_id = c.id, jsonb_array_elements(t.events) with ordinality as n (data, place)),
   announced as (select pg_notify('${eventsChannel}', id) from counted)
   select c.id, c.finished, c.trials from counted c, (select count(*) from announced) as done`,
  { runIds: texts },
  { id: text, finished: integer, trials: integer },
);
/** Runs with pending amounts, left behind by a process that did not add them. */
export const untallied = query(
  'eval-trials.untallied',
  `select distinct run_id as id from (
     select run_id from eval_tally where at < now() - interval '5 seconds' order by at limit 1000) t`,
  {},
  { id: text },
);

const listed = {
  id: text,
  position: integer,
  caseId: text,
  variant: integer,
  number: integer,
  state: text,
  attempts: integer,
  status: orNull(oneOf<TrialStatus>()),
  result: orNull(oneOf<'passed' | 'failed'>()),
  startedAt: orNull(time),
  finishedAt: orNull(time),
  durationMs: orNull(integer),
  totalTokens: orNull(bigint),
  costMicros: orNull(bigint),
  detail: orNull(json<unknown>()),
};
export type ListedTrial = RowOf<typeof listed>;
const listedColumns = `t.id, t.position, t.case_id as "caseId", t.variant, t.number, t.state, t.attempts, r.status,
     r.result, r.started_at as "startedAt", r.finished_at as "finishedAt", r.duration_ms as "durationMs",
     r.total_tokens as "totalTokens", r.cost_micros as "costMicros", r.detail`;
/** Trials in the order of the cases, whether ended or not. */
export const list = query(
  'eval-trials.list',
  `select ${listedColumns} from eval_trials t left join eval_results r on r.trial_id = t.id
   where t.run_id = :runId and t.position > :after order by t.position limit :most`,
  { runId: text, after: integer, most: bigint },
  listed,
  { index: 'eval_trials_position' },
);
const stood = {
  id: text,
  position: integer,
  caseId: text,
  variant: integer,
  number: integer,
  state: text,
  status: orNull(oneOf<TrialStatus>()),
  result: orNull(oneOf<'passed' | 'failed'>()),
  durationMs: orNull(integer),
  totalTokens: orNull(bigint),
  costMicros: orNull(bigint),
  firstFailedStage: orNull(text),
  toolNames: orNull(json<unknown>()),
};
export type TrialStateRow = RowOf<typeof stood>;
/** Compact trial states: of the stored result only failures and called tools. */
export const states = query(
  'eval-trials.states',
  `select t.id, t.position, t.case_id as "caseId", t.variant, t.number, t.state, r.status, r.result,
     r.duration_ms as "durationMs", r.total_tokens as "totalTokens", r.cost_micros as "costMicros",
     r.detail ->> 'firstFailedStage' as "firstFailedStage",
     jsonb_path_query_array(r.detail, '$.actualToolCalls[*].toolName') as "toolNames"
   from eval_trials t left join eval_results r on r.trial_id = t.id
   where t.run_id = :runId and t.position > :after order by t.position limit :most`,
  { runId: text, after: integer, most: bigint },
  stood,
  { index: 'eval_trials_position' },
);
/** Ended trials that did not pass. */
export const failures = query(
  'eval-trials.failures',
  `select ${listedColumns} from eval_results r join eval_trials t on t.id = r.trial_id
   where r.run_id = :runId and r.result is distinct from 'passed' and r.position > :after
   order by r.position limit :most`,
  { runId: text, after: integer, most: bigint },
  { ...listed, status: oneOf<TrialStatus>(), finishedAt: time, detail: json<unknown>() },
  { index: 'eval_results_failures' },
);
/** Trials that did not pass, for a run that ended early: including those without a result. */
export const unpassed = query(
  'eval-trials.unpassed',
  `select ${listedColumns} from eval_trials t left join eval_results r on r.trial_id = t.id
   where t.run_id = :runId and r.result is distinct from 'passed' and t.position > :after
   order by t.position limit :most`,
  { runId: text, after: integer, most: bigint },
  listed,
  { index: 'eval_trials_position' },
);
export const find = query(
  'eval-trials.find',
  `select ${listedColumns} from eval_trials t left join eval_results r on r.trial_id = t.id
   where t.run_id = :runId and t.id = :id`,
  { runId: text, id: text },
  listed,
);
const trace = { body: orNull(text), blobId: orNull(text) };
export const findTrace = query(
  'eval-trials.find-trace',
  'select body, blob_id as "blobId" from eval_traces where trial_id = :id',
  { id: text },
  trace,
);

/** Traces of a run from a position on, of all trials or of these. */
export const tracesFrom = query(
  'eval-trials.traces-from',
  `select r.trial_id as id, r.position, c.body, c.blob_id as "blobId"
   from eval_results r join eval_traces c on c.trial_id = r.trial_id
   where r.run_id = :runId and r.position >= :from and (:ids::text[] is null or r.trial_id = any(:ids))
   order by r.position limit :most`,
  { runId: text, from: integer, ids: orNull(texts), most: bigint },
  { id: text, position: integer, ...trace },
  { index: 'eval_results_position' },
);

const judged = results.pick([
  'position',
  'caseId',
  'variant',
  'number',
  'status',
  'result',
  'evaluatorError',
  'finishedAt',
  'stages',
]);
export type JudgedTrial = RowOf<typeof judged>;
/** The columns that a verdict is computed from, page by page. */
export const judgedAfter = query(
  'eval-trials.judged-after',
  `select r.position, r.case_id as "caseId", r.variant, r.number, r.status, r.result,
     r.evaluator_error as "evaluatorError", r.finished_at as "finishedAt", r.stages
   from eval_results r where r.run_id = :runId and r.position > :after order by r.position limit :most`,
  { runId: text, after: integer, most: bigint },
  judged,
  { index: 'eval_results_position' },
);
const exported = {
  id: text,
  position: integer,
  runId: text,
  completedAt: orNull(time),
  suiteId: text,
  caseId: text,
  number: integer,
  finishedAt: time,
  startedAt: orNull(time),
  status: text,
  result: orNull(text),
  body: orNull(text),
  blobId: orNull(text),
  detail: json<unknown>(),
};
export type ExportedTrial = RowOf<typeof exported>;
/** Trials of a project that have a trace, in the order in which their runs ended and of trials within them. */
export const exportable = query(
  'eval-trials.exportable',
  `select r.trial_id as id, r.run_id as "runId", n.completed_at as "completedAt", n.suite_id as "suiteId",
     r.case_id as "caseId", r.number, r.position, r.finished_at as "finishedAt", r.started_at as "startedAt", r.status,
     r.result, c.body, c.blob_id as "blobId", r.detail
   from eval_runs n join eval_results r on r.run_id = n.id join eval_traces c on c.trial_id = r.trial_id
   where n.project_id = :projectId and n.completed_at >= :afterTime
     and (n.completed_at, n.id, r.position) > (:afterTime, :afterRun, :afterPosition)
     and exists (select from eval_suites s where s.id = n.suite_id and s.deleted_at is null)
   order by n.completed_at, n.id, r.position limit :most`,
  { projectId: text, afterTime: time, afterRun: text, afterPosition: integer, most: bigint },
  exported,
  { index: 'eval_runs_completed' },
);
