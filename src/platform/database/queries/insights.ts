import { integer, json, jsonText, oneOf, orNull, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const columns = {
  waveId: text,
  request: integer,
  status: oneOf<'pending' | 'completed' | 'failed' | 'canceled'>(),
  insights: orNull(json<unknown>()),
  discovery: orNull(json<unknown>()),
  errorCode: orNull(text),
  errorMessage: orNull(text),
  requestedBy: text,
  updatedAt: time,
};

interface Place {
  /** Prefix of the names of the queries. */
  name: string;
  table: string;
  /** Column of the project or study. */
  owner: string;
}

export type InsightsQueries = ReturnType<typeof insightsQueries>;

/** Queries for insights into a wave or window. Each kind has a table of its own. */
function insightsQueries({ name, table: tableName, owner }: Place) {
  const insights = table(tableName, columns);
  const one = { ownerId: text, waveId: text };
  const which = `${owner} = :ownerId and wave_id = :waveId`;
  return {
    find: query(
      `${name}.find`,
      `select ${insights.all()} from ${tableName} where ${which}`,
      one,
      insights.columns,
    ),
    /** Serializes requests for the same insights, including the first two. */
    lockForUpdate: query(
      `${name}.lock-for-update`,
      `select from pg_advisory_xact_lock(hashtextextended('${name} ' || :ownerId || ' ' || :waveId, 4700))`,
      one,
    ),
    /** Keeps the previous insights until new ones are stored. */
    begin: query(
      `${name}.begin`,
      `insert into ${tableName} (${owner}, wave_id, status, requested_by)
       values (:ownerId, :waveId, 'pending', :requestedBy)
       on conflict on constraint ${tableName}_pkey do update set request = ${tableName}.request + 1, status = 'pending',
         error_code = null, error_message = null, requested_by = :requestedBy, updated_at = now()
       returning request`,
      { ...one, requestedBy: text },
      { request: integer },
    ),
    /** Changes nothing if a later request exists, or this one was canceled. */
    close: query(
      `${name}.close`,
      `update ${tableName} set status = :status, insights = coalesce(:insights, insights),
         discovery = coalesce(:discovery, discovery), error_code = :errorCode, error_message = :errorMessage, updated_at = now()
       where ${which} and request = :request and status = 'pending'`,
      {
        ...one,
        request: integer,
        status: text,
        insights: orNull(jsonText),
        discovery: orNull(jsonText),
        errorCode: orNull(text),
        errorMessage: orNull(text),
      },
    ),
    /** Keeps earlier insights. */
    cancel: query(
      `${name}.cancel`,
      `update ${tableName} set status = case when insights is null then 'canceled' else 'completed' end, updated_at = now()
       where ${which} and status = 'pending' returning request`,
      one,
      { request: integer },
    ),
  };
}

export const waveInsights = insightsQueries({
  name: 'wave-insights',
  table: 'wave_insights',
  owner: 'project_id',
});
export const studyInsights = insightsQueries({
  name: 'study-insights',
  table: 'study_insights',
  owner: 'study_id',
});

const ofRun = { runId: text };

export const evalRunInsights = {
  find: query(
    'eval-insights.find',
    `select request, status, content as insights, reason_code as "reasonCode", error->>'code' as "errorCode",
       error->>'message' as "errorMessage", requested_by as "requestedBy", generated_at as "generatedAt",
       updated_at as "updatedAt"
     from eval_run_insights where run_id = :runId`,
    ofRun,
    {
      request: integer,
      status: oneOf<'pending' | 'completed' | 'failed'>(),
      insights: orNull(json<unknown>()),
      reasonCode: orNull(text),
      errorCode: orNull(text),
      errorMessage: orNull(text),
      requestedBy: text,
      generatedAt: orNull(time),
      updatedAt: time,
    },
  ),
  /** Keeps the previous insights until new ones are stored. */
  begin: query(
    'eval-insights.begin',
    `insert into eval_run_insights as i (run_id, request, status, requested_by) values (:runId, 1, 'pending', :requestedBy)
     on conflict on constraint eval_run_insights_pkey do update set request = i.request + 1, status = 'pending',
       reason_code = null, error = null, requested_by = excluded.requested_by, updated_at = now()
     returning request`,
    { ...ofRun, requestedBy: text },
    { request: integer },
  ),
  /** Changes nothing if a later request exists. */
  close: query(
    'eval-insights.close',
    `update eval_run_insights set status = :status, reason_code = :reasonCode,
       error = case when :errorCode::text is not null
         then jsonb_build_object('code', :errorCode::text, 'message', :errorMessage::text) end,
       content = coalesce(:insights, content),
       generated_at = case when :insights is null then generated_at else now() end, updated_at = now()
     where run_id = :runId and request = :request and status = 'pending'`,
    {
      ...ofRun,
      request: integer,
      status: oneOf<'completed' | 'failed'>(),
      reasonCode: orNull(text),
      errorCode: orNull(text),
      errorMessage: orNull(text),
      insights: orNull(jsonText),
    },
  ),
  /** Numbers of trials by how they ended. */
  health: query(
    'eval-insights.health',
    `select count(*)::int as attempted, count(*) filter (where status = 'completed')::int as completed,
       count(*) filter (where result is not null and not evaluator_error)::int as graded
     from eval_results where run_id = :runId`,
    ofRun,
    { attempted: integer, completed: integer, graded: integer },
  ),
};
