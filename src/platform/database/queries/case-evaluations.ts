import { integer, json, jsonText, listOf, text, texts } from '../columns.ts';
import { query } from '../query.ts';

const stored = { caseKey: text, contentHash: text };

export const hashes = query(
  'case-evaluations.hashes',
  `select case_key as "caseKey", content_hash as "contentHash" from eval_case_evaluations
   where run_id = :runId and case_key = any(:caseKeys)`,
  { runId: text, caseKeys: texts },
  stored,
);
/** The number of evaluations of a run, and their total size in characters. */
export const taken = query(
  'case-evaluations.taken',
  `select count(*)::int as count, coalesce(sum(length(evaluation::text)), 0)::int as size
   from eval_case_evaluations where run_id = :runId`,
  { runId: text },
  { count: integer, size: integer },
);
export const insert = query(
  'case-evaluations.insert',
  `insert into eval_case_evaluations (run_id, case_key, evaluation, content_hash)
   select :runId, n.case_key, n.evaluation, n.content_hash
   from unnest(:caseKeys::text[], :evaluations::jsonb[], :contentHashes::text[])
     as n (case_key, evaluation, content_hash)`,
  { runId: text, caseKeys: texts, evaluations: listOf(jsonText), contentHashes: texts },
);
export const ofRun = query(
  'case-evaluations.of-run',
  'select evaluation from eval_case_evaluations where run_id = :runId order by case_key',
  { runId: text },
  { evaluation: json<unknown>() },
  { index: 'eval_case_evaluations_pkey' },
);
