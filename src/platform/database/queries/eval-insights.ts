import { integer, json, jsonText, oneOf, orNull, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const insights = table('eval_run_insights', {
  runId: text,
  request: integer,
  status: oneOf<'pending' | 'completed' | 'failed'>(),
  reasonCode: orNull(text),
  error: orNull(json<unknown>()),
  content: orNull(json<unknown>()),
  requestedBy: text,
  generatedAt: orNull(time),
  updatedAt: time,
});

export const find = query(
  'eval-insights.find',
  `select ${insights.all()} from eval_run_insights where run_id = :runId`,
  { runId: text },
  insights.columns,
);
/** The first request, or another one; what the last one found is shown until there is more. */
export const begin = query(
  'eval-insights.begin',
  `insert into eval_run_insights as i (run_id, request, status, requested_by) values (:runId, 1, 'pending', :requestedBy)
   on conflict on constraint eval_run_insights_pkey do update set request = i.request + 1, status = 'pending', reason_code = null, error = null,
     requested_by = excluded.requested_by, updated_at = now()
   returning request`,
  { runId: text, requestedBy: text },
  { request: integer },
);
/** Nothing when another request came. */
export const close = query(
  'eval-insights.close',
  `update eval_run_insights set status = :status, reason_code = :reasonCode, error = :error,
     content = coalesce(:content, content), generated_at = case when :content is null then generated_at else now() end,
     updated_at = now()
   where run_id = :runId and request = :request and status = 'pending'`,
  {
    runId: text,
    request: integer,
    status: oneOf<'completed' | 'failed'>(),
    reasonCode: orNull(text),
    error: orNull(json<unknown>()),
    content: orNull(jsonText),
  },
);
/** What a run is counted by. */
export const health = query(
  'eval-insights.health',
  `select count(*)::int as attempted, count(*) filter (where status = 'completed')::int as completed,
     count(*) filter (where result is not null and not evaluator_error)::int as graded
   from eval_results where run_id = :runId`,
  { runId: text },
  { attempted: integer, completed: integer, graded: integer },
);
