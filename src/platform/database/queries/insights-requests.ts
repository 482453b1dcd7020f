import { integer, json, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
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
export type InsightsRow = RowOf<typeof columns>;

interface Place {
  /** What the names of the queries begin with. */
  name: string;
  table: string;
  /** The column of whose waves they are about. */
  owner: string;
}

export type InsightsQueries = ReturnType<typeof insightsQueries>;

/** Insights that somebody asked for into a wave of an owner; each kind of owner has a table of its own. */
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
    /** Two who ask for the first time follow each other. */
    lineUp: query(
      `${name}.line-up`,
      `select from pg_advisory_xact_lock(hashtextextended('${name} ' || :ownerId || ' ' || :waveId, 4700))`,
      one,
    ),
    /** What was found before stays until something else is. */
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
    /** Unless somebody asked again, or no longer wants to know. */
    close: query(
      `${name}.close`,
      `update ${tableName} set status = :status, insights = coalesce(:insights, insights),
         discovery = coalesce(:discovery, discovery), error_code = :errorCode, error_message = :errorMessage, updated_at = now()
       where ${which} and request = :request and status = 'pending'`,
      {
        ...one,
        request: integer,
        status: text,
        insights: orNull(json<unknown>()),
        discovery: orNull(json<unknown>()),
        errorCode: orNull(text),
        errorMessage: orNull(text),
      },
    ),
    /** Back to what was known before, or to nothing. */
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
