import { bigint, flag, float, integer, json, jsonText, oneOf, orNull, text } from '../columns.ts';
import { query } from '../query.ts';

const kind = oneOf<'judge' | 'checks'>();

/** Hash of all recorded results and traces of a run, to detect that they have changed. */
export const sourceHash = query(
  'eval-backtests.source-hash',
  `select encode(sha256(convert_to(coalesce(string_agg(
       concat_ws(' ', r.trial_id, r.status, r.result, extract(epoch from r.finished_at), t.blob_id, octet_length(t.body)),
       ',' order by r.position), ''), 'UTF8')), 'hex') as hash
   from eval_results r left join eval_traces t on t.trial_id = r.trial_id where r.run_id = :runId`,
  { runId: text },
  { hash: text },
);
export const insert = query(
  'eval-backtests.insert',
  `insert into eval_backtests (id, run_id, kind, draft_hash, source_hash)
   values (:id, :runId, :kind, :draftHash, :sourceHash)`,
  { id: text, runId: text, kind, draftHash: text, sourceHash: text },
);
export const find = query(
  'eval-backtests.find',
  `select draft_hash as "draftHash", source_hash as "sourceHash" from eval_backtests
   where id = :id and run_id = :runId and kind = :kind`,
  { id: text, runId: text, kind },
  { draftHash: text, sourceHash: text },
);
/** Seconds since the latest draft of this kind was started for the run. */
export const lastAge = query(
  'eval-backtests.last-age',
  `select extract(epoch from now() - created_at)::float8 as seconds from eval_backtests
   where run_id = :runId and kind = :kind order by created_at desc limit 1`,
  { runId: text, kind },
  { seconds: float },
  { index: 'eval_backtests_run' },
);
export const page = query(
  'eval-backtests.page',
  'select body from eval_backtest_pages where backtest_id = :id and cursor = :cursor',
  { id: text, cursor: integer },
  { body: json<unknown>() },
);
/** Whether an earlier page returned this cursor as the next one. */
export const follows = query(
  'eval-backtests.follows',
  'select exists (select from eval_backtest_pages where backtest_id = :id and next = :cursor::bigint) as follows',
  { id: text, cursor: bigint },
  { follows: flag },
);
/** Stores the response for a page. An existing response is kept. */
export const keepPage = query(
  'eval-backtests.keep-page',
  `insert into eval_backtest_pages (backtest_id, run_id, cursor, next, body)
   select id, run_id, :cursor, :next, :body from eval_backtests where id = :id
   on conflict do nothing`,
  { id: text, cursor: integer, next: orNull(integer), body: jsonText },
);
export const prune = query(
  'eval-backtests.prune',
  `delete from eval_backtests where created_at < now() - interval '1 day'`,
  {},
);

const recorded = {
  trialId: text,
  position: integer,
  caseId: text,
  status: text,
  result: orNull(oneOf<'passed' | 'failed'>()),
  evaluatorError: flag,
  detail: json<unknown>(),
};
/** Trials with their original grades. */
export const recordedAfter = query(
  'eval-backtests.recorded-after',
  `select trial_id as "trialId", position, case_id as "caseId", status, result, evaluator_error as "evaluatorError", detail
   from eval_results where run_id = :runId and position > :after order by position limit :most`,
  { runId: text, after: integer, most: bigint },
  recorded,
  { index: 'eval_results_position' },
);
