import { bigint, integer, json, jsonText, listOf, text, texts } from '../columns.ts';
import { query } from '../query.ts';
import { isOpen } from './eval-runs.ts';

/** Notification channel for new events of a run; the payload is the ID of the run. */
export const eventsChannel = 'drydock_eval_runs';

/**
 * Appends events to several runs, each run's events in the given order. Runs that have ended get none. Runs are locked
 * in the order of their IDs, as in all queries that write to several, to avoid deadlocks.
 */
export const addEvents = query(
  'eval-runs.add-events',
  `with given as (
     select run_id, data, row_number() over (partition by run_id order by nth) as place,
       count(*) over (partition by run_id) as many
     from unnest(:runIds::text[], :data::jsonb[]) with ordinality as n (run_id, data, nth)),
   locked as materialized (
     select id from eval_runs where id = any(:runIds) and ${isOpen} order by id for no key update),
   counted as (
     update eval_runs r set events = r.events + g.many, started_at = coalesce(r.started_at, now()),
       status = case when r.status = 'pending' then 'running' else r.status end
     from (select distinct run_id, many from given) g
     where r.id = g.run_id and r.id = any(array(select id from locked)) and r.${isOpen}
     returning r.id, r.organization_id, r.events - g.many as first),
   told as (
     insert into eval_run_events (run_id, organization_id, number, data)
     select c.id, c.organization_id, c.first + g.place - 1, g.data from given g join counted c on c.id = g.run_id)
   select from counted c, pg_notify('${eventsChannel}', c.id)`,
  { runIds: texts, data: listOf(jsonText) },
);
/** Adds the final event of a run that has ended. */
export const addLastEvent = query(
  'eval-runs.add-last-event',
  `with counted as (update eval_runs set events = events + 1 where id = :runId
     returning organization_id, events - 1 as number)
   insert into eval_run_events (run_id, organization_id, number, data)
   select :runId, organization_id, number, :data from counted`,
  { runId: text, data: json<unknown>() },
);
export const eventsAfter = query(
  'eval-runs.events-after',
  `select number, data from eval_run_events where run_id = :runId and number > :after order by number limit :most`,
  { runId: text, after: integer, most: bigint },
  { number: integer, data: json<unknown>() },
  { index: 'eval_run_events_pkey' },
);
/** Notifies readers of events in all processes. */
export const announce = query('eval-runs.announce', `select from pg_notify('${eventsChannel}', :runId)`, {
  runId: text,
});
/** Notifies all processes that the run has ended, so that they drop its cached data. */
export const announceEnd = query(
  'eval-runs.announce-end',
  `select from pg_notify('drydock_eval_runs_over', :runId)`,
  { runId: text },
);
