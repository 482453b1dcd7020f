import { bigint, flag, float, integer, json, oneOf, orNull, text, texts } from '../columns.ts';
import { query } from '../query.ts';
import type { TrialStatus } from './eval-trials.ts';

/** All trials of a run, without large columns. */
export const trials = query(
  'eval-compare.trials',
  `select trial_id as id, case_id as "caseId", variant, status, result, evaluator_error as "evaluatorError",
     duration_ms as "durationMs", total_tokens as "totalTokens", cost_micros as "costMicros"
   from eval_results where run_id = :runId order by position`,
  { runId: text },
  {
    id: text,
    caseId: text,
    variant: integer,
    status: oneOf<TrialStatus>(),
    result: orNull(oneOf<'passed' | 'failed'>()),
    evaluatorError: flag,
    durationMs: orNull(integer),
    totalTokens: orNull(bigint),
    costMicros: orNull(bigint),
  },
  { index: 'eval_results_position' },
);
export const errors = query(
  'eval-compare.errors',
  `select trial_id as id, left(detail ->> 'error', :most) as error from eval_results where trial_id = any(:ids)`,
  { ids: texts, most: integer },
  { id: text, error: orNull(text) },
);
/** Trials of a run with scores, and the evaluation configuration if the trial recorded it. */
export const scored = query(
  'eval-compare.scored',
  `select position, case_id as "caseId", detail ->> 'configHash' as "configHash",
     detail -> 'evaluationConfig' as config, detail -> 'scores' as scores
   from eval_results where run_id = :runId and position > :after and jsonb_array_length(detail -> 'scores') > 0
   order by position limit :most`,
  { runId: text, after: integer, most: bigint },
  {
    position: integer,
    caseId: text,
    configHash: orNull(text),
    config: orNull(json<unknown>()),
    scores: json<unknown>(),
  },
  { index: 'eval_results_position' },
);
/** A score as a number, or null if it cannot be averaged: reported scores may have any value. */
const numeric = `case when jsonb_typeof(s.value -> 'value') = 'number'
       then case when abs((s.value ->> 'value')::numeric) < 1e100 then (s.value ->> 'value')::float8 end end`;
/** The scores of a run by case, model and scorer. */
export const scores = query(
  'eval-compare.scores',
  `select r.case_id as "caseId", r.variant, s.value ->> 'scorerId' as "scorerId",
     max(s.value ->> 'definitionHash') as "definitionHash",
     count(*) filter (where s.value ->> 'status' = 'scored')::int as scored,
     count(*) filter (where s.value -> 'passed' = 'true')::int as passed,
     count(*) filter (where s.value ->> 'status' = 'error')::int as errors,
     count(*) filter (where s.value ->> 'status' = 'skipped')::int as skipped,
     avg(${numeric}) as mean
   from eval_results r, jsonb_array_elements(r.detail -> 'scores') as s (value)
   where r.run_id = :runId group by r.case_id, r.variant, s.value ->> 'scorerId'`,
  { runId: text },
  {
    caseId: text,
    variant: integer,
    scorerId: orNull(text),
    definitionHash: orNull(text),
    scored: orNull(integer),
    passed: orNull(integer),
    errors: orNull(integer),
    skipped: orNull(integer),
    mean: orNull(float),
  },
);
