import { integer, json, oneOf, orNull, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const insights = table('wave_insights', {
  projectId: text,
  waveId: text,
  request: integer,
  status: oneOf<'pending' | 'completed' | 'failed' | 'canceled'>(),
  insights: orNull(json<unknown>()),
  discovery: orNull(json<unknown>()),
  errorCode: orNull(text),
  errorMessage: orNull(text),
  requestedBy: text,
  updatedAt: time,
});

const one = { projectId: text, waveId: text };
const which = 'project_id = :projectId and wave_id = :waveId';

export const find = query(
  'wave-insights.find',
  `select ${insights.all()} from wave_insights where ${which}`,
  one,
  {
    ...insights.columns,
  },
);
/** Two who ask for the first time follow each other. */
export const lineUp = query(
  'wave-insights.line-up',
  `select from pg_advisory_xact_lock(hashtextextended('wave-insights ' || :projectId || ' ' || :waveId, 4700))`,
  one,
);
/** What was found before stays until something else is. */
export const begin = query(
  'wave-insights.begin',
  `insert into wave_insights (project_id, wave_id, status, requested_by)
   values (:projectId, :waveId, 'pending', :requestedBy)
   on conflict (project_id, wave_id) do update set request = wave_insights.request + 1, status = 'pending',
     error_code = null, error_message = null, requested_by = :requestedBy, updated_at = now()
   returning request`,
  { ...one, requestedBy: text },
  { request: integer },
);
/** Unless somebody asked again, or no longer wants to know. */
export const close = query(
  'wave-insights.close',
  `update wave_insights set status = :status, insights = coalesce(:insights, insights),
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
);
/** Back to what was known before, or to nothing. */
export const cancel = query(
  'wave-insights.cancel',
  `update wave_insights set status = case when insights is null then 'canceled' else 'completed' end, updated_at = now()
   where ${which} and status = 'pending' returning request`,
  one,
  { request: integer },
);
