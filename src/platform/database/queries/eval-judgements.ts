import {
  bigint,
  flag,
  float,
  integer,
  json,
  jsonText,
  manyOf,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

const judgements = table('eval_run_judgements', {
  runId: text,
  request: integer,
  status: oneOf<'pending' | 'completed' | 'failed'>(),
  gating: flag,
  model: text,
  threshold: float,
  total: integer,
  skipped: integer,
  errorCode: orNull(text),
  requestedBy: text,
  jobId: orNull(text),
  deadlineAt: time,
  generatedAt: orNull(time),
});
export type JudgementRow = RowOf<typeof judgements.columns>;

const ofRun = { runId: text };
export const find = query(
  'eval-judgements.find',
  `select ${judgements.all()} from eval_run_judgements where run_id = :runId`,
  ofRun,
  judgements.columns,
);
/** Runs of a project or a suite that are being judged. */
export const pendingOf = query(
  'eval-judgements.pending-of',
  `select r.id, r.organization_id as "organizationId" from eval_run_judgements j join eval_runs r on r.id = j.run_id
   where j.status = 'pending' and :ownerId in (r.project_id, r.suite_id)`,
  { ownerId: text },
  { id: text, organizationId: text },
);
const begun = judgements.pick([
  'runId',
  'status',
  'gating',
  'model',
  'threshold',
  'total',
  'skipped',
  'errorCode',
  'requestedBy',
  'deadlineAt',
]);
/** Stores the first request, or replaces the previous one and deletes its results. */
export const begin = query(
  'eval-judgements.begin',
  `with forgotten as (delete from eval_judged_trials where run_id = :runId)
   insert into eval_run_judgements as j (run_id, request, status, gating, model, threshold, total, skipped, error_code,
     requested_by, deadline_at)
   values (:runId, 1, :status, :gating, :model, :threshold, :total, :skipped, :errorCode, :requestedBy, :deadlineAt)
   on conflict on constraint eval_run_judgements_pkey do update set request = j.request + 1, status = excluded.status, gating = excluded.gating,
     model = excluded.model, threshold = excluded.threshold, total = excluded.total, skipped = excluded.skipped,
     error_code = excluded.error_code, requested_by = excluded.requested_by, deadline_at = excluded.deadline_at,
     job_id = null, generated_at = null
   returning request`,
  begun,
  { request: integer },
);
export const setJob = query(
  'eval-judgements.set-job',
  'update eval_run_judgements set job_id = :jobId where run_id = :runId',
  { runId: text, jobId: text },
);
/** Ends the request. Returns no row if it had already ended or was replaced. */
export const close = query(
  'eval-judgements.close',
  `update eval_run_judgements set status = :status, error_code = :errorCode, generated_at = now()
   where run_id = :runId and request = :request and status = 'pending' returning ${judgements.all()}`,
  {
    runId: text,
    request: integer,
    status: oneOf<'completed' | 'failed'>(),
    errorCode: orNull(text),
  },
  judgements.columns,
);

/** The number of completed trials of a run. */
export const countCompleted = query(
  'eval-judgements.count-completed',
  `select count(*)::int as count from eval_results where run_id = :runId and status = 'completed'`,
  ofRun,
  { count: integer },
  { index: 'eval_results_position' },
);
const candidate = { id: text, position: integer, number: integer, caseId: text };
export type CandidateRow = RowOf<typeof candidate>;
/** All completed trials of a run, unordered. */
export const candidates = query(
  'eval-judgements.candidates',
  `select trial_id as id, position, number, case_id as "caseId" from eval_results
   where run_id = :runId and status = 'completed'`,
  ofRun,
  candidate,
  { index: 'eval_results_position' },
);
export const judgedIds = query(
  'eval-judgements.judged-ids',
  'select trial_id as id from eval_judged_trials where run_id = :runId',
  ofRun,
  { id: text },
);

const measured = {
  trialId: text,
  runId: text,
  position: integer,
  caseKey: text,
  goal: jsonText,
  groundedness: jsonText,
  billedMicros: bigint,
};
/**
 * Stores the measurement of a trial while its request is the latest and still open. An existing measurement is kept.
 */
export const record = query(
  'eval-judgements.record',
  `with held as (
     select run_id from eval_run_judgements
     where run_id = :runId and request = :request and status = 'pending' for share),
   added as (
     insert into eval_judged_trials (trial_id, run_id, position, case_key, goal, groundedness, billed_micros)
     select :trialId, :runId, :position, :caseKey, :goal, :groundedness, :billedMicros from held
     on conflict do nothing)
   select run_id as "runId" from held`,
  { ...measured, request: integer },
  { runId: text },
);
export const judged = query(
  'eval-judgements.judged',
  'select goal from eval_judged_trials where trial_id = :trialId',
  { trialId: text },
  { goal: json<unknown>() },
);
const listed = {
  trialId: text,
  position: integer,
  caseKey: text,
  goal: json<unknown>(),
  groundedness: json<unknown>(),
};
export type JudgedTrialRow = RowOf<typeof listed>;
export const list = query(
  'eval-judgements.list',
  `select trial_id as "trialId", position, case_key as "caseKey", goal, groundedness from eval_judged_trials
   where run_id = :runId and position > :after order by position limit :most`,
  { runId: text, after: integer, most: bigint },
  listed,
  { index: 'eval_judged_trials_run' },
);
export const counts = query(
  'eval-judgements.counts',
  `select count(*) filter (where goal ->> 'status' = 'scored')::int as scored,
     count(*) filter (where goal ->> 'status' = 'error')::int as errors,
     count(*) filter (where goal ->> 'status' = 'skipped')::int as skipped,
     count(*) filter (where goal ->> 'status' = 'scored' and (goal ->> 'score')::float8 >= :threshold)::int as passed,
     count(*) filter (where groundedness ->> 'status' = 'scored')::int as "groundednessScored",
     count(*) filter (where groundedness ->> 'status' = 'error')::int as "groundednessErrors",
     count(*) filter (where groundedness ->> 'status' = 'scored' and (groundedness ->> 'score')::float8 >= :threshold)::int
       as grounded
   from eval_judged_trials where run_id = :runId`,
  { runId: text, threshold: float },
  {
    scored: integer,
    errors: integer,
    skipped: integer,
    passed: integer,
    groundednessScored: integer,
    groundednessErrors: integer,
    grounded: integer,
  },
  { index: 'eval_judged_trials_run' },
);

const graded = {
  trialId: text,
  position: integer,
  caseId: text,
  status: text,
  result: orNull(oneOf<'passed' | 'failed'>()),
  evaluatorError: flag,
  detail: json<unknown>(),
  stages: json<unknown>(),
  goal: orNull(json<unknown>()),
};
export type GradedRow = RowOf<typeof graded>;
/** A page of a run's trials by position, each with the judge's measurement of the goal, or null. */
export const trialsWithGoal = query(
  'eval-judgements.graded-after',
  `select r.trial_id as "trialId", r.position, r.case_id as "caseId", r.status, r.result,
     r.evaluator_error as "evaluatorError", r.detail, r.stages, j.goal
   from eval_results r left join eval_judged_trials j on j.trial_id = r.trial_id
   where r.run_id = :runId and r.position > :after order by r.position limit :most`,
  { runId: text, after: integer, most: bigint },
  graded,
  { index: 'eval_results_position' },
);
const regraded = manyOf({
  trialId: text,
  result: orNull(oneOf<'passed' | 'failed'>()),
  evaluatorError: flag,
  detail: jsonText,
  stages: jsonText,
});
export type RegradedRow = RowOf<(typeof regraded)['row']>;
/** Updates results only while the run waits for its judge. A run that was cancelled keeps its counted results. */
export const regrade = query(
  'eval-judgements.regrade',
  `with held as (select id from eval_runs where id = :runId and status = 'grading' for share)
   update eval_results r set result = n.result, evaluator_error = n.evaluator_error, detail = n.detail, stages = n.stages
   from ${regraded.from('n')}, held where r.trial_id = n.trial_id and r.run_id = held.id`,
  { runId: text, ...regraded.takes },
);
