import { bigint, flag, integer, orNull, text, time } from '../columns.ts';
import { query } from '../query.ts';

/** Figures per day in UTC, oldest first. */
const daily = {
  dayStartMs: time,
  sessions: integer,
  turns: integer,
  unanswered: integer,
  calls: integer,
  failed: integer,
  thumbsUp: integer,
  thumbsDown: integer,
};
const byDay = `select date_trunc('day', at, 'UTC') as "dayStartMs", sum(sessions)::int as sessions, sum(turns)::int as turns,
     sum(unanswered)::int as unanswered, sum(calls)::int as calls, sum(failed)::int as failed,
     sum(up)::int as "thumbsUp", sum(down)::int as "thumbsDown"
   from (%) as happened (at, sessions, turns, unanswered, calls, failed, up, down) group by 1 order by 1`;

/** Durations of turns in milliseconds. `truncated`: older sessions were left out. */
const spread = { median: orNull(integer), p95: orNull(integer), truncated: flag };
const quantiles = (ms: string): string =>
  `percentile_disc(0.5) within group (order by ${ms}) as median, percentile_disc(0.95) within group (order by ${ms}) as p95`;

const some = { studyId: text, most: bigint };
const inOrder = `from study_sessions s where s.study_id = :studyId order by s.last_activity_at desc, s.session_id desc`;
const visits = `with latest as (select s.* ${inOrder} limit :most)`;

export const visitsByDay = query(
  'study-figures.visits-by-day',
  `${visits} ${byDay.replace(
    '%',
    `select started_at, 1, 0, 0, 0, 0, 0, 0 from latest
     union all select t.at, 0, 1, (not t.answered)::int, c.calls, c.failed, 0, 0
       from latest l join study_turns t on t.session_id = l.session_id cross join lateral (
         select count(*) as calls, count(*) filter (where not (one ->> 'ok')::boolean) as failed
         from jsonb_array_elements(t.calls) one) c
     union all select rated_at, 0, 0, 0, 0, 0, (rating > 0)::int, (rating < 0)::int from latest where rating is not null`,
  )}`,
  some,
  daily,
);
export const spreadOfVisits = query(
  'study-figures.spread-of-visits',
  `${visits} select (select count(*)::int from latest) as sessions,
     (select count(distinct visitor_id)::int from latest) as visitors, ${quantiles('t.duration_ms')},
     exists (select ${inOrder} offset :most limit 1) as truncated
   from latest l join study_turns t on t.session_id = l.session_id`,
  some,
  { sessions: integer, visitors: integer, ...spread },
);

/** The latest `most` journey sessions that started in an environment, from its latest 500 runs. */
const inEnvironment = { projectId: text, environmentId: text, most: bigint };
const played = `with begun as (
     select s.id, s.run_id, s.status, s.error_code, s.facts, s.started_at, s.position
     from (select id, targets from journey_runs where project_id = :projectId
         and targets @> jsonb_build_array(jsonb_build_object('kind', 'environment', 'targetId', :environmentId::text))
       order by id desc limit 500) r
     join journey_sessions s on s.run_id = r.id and r.targets -> s.target ->> 'targetId' = :environmentId
     where s.started_at is not null),
   latest as (select * from begun order by started_at desc, id desc limit :most)`;

/**
 * Adds one failed turn for a session that broke: the message that broke it got no reply, and is not stored as a turn.
 */
export const playedByDay = query(
  'study-figures.played-by-day',
  `${played} ${byDay.replace(
    '%',
    `select l.started_at, 1, b.broke, b.broke, c.calls, c.failed, 0, 0
       from latest l cross join lateral (
         select (l.status = 'failed' and l.error_code is not distinct from 'session_failed')::int as broke) b
       cross join lateral (
         select coalesce(sum((one ->> 'calls')::int), 0) as calls, coalesce(sum((one ->> 'errors')::int), 0) as failed
         from jsonb_array_elements(l.facts -> 'tools') one) c
     union all select t.started_at, 0, 1, 0, 0, 0, 0, 0 from latest l join chat_turns t on t.session_id = l.id`,
  )}`,
  inEnvironment,
  daily,
);
export const spreadOfPlayed = query(
  'study-figures.spread-of-played',
  `${played} select ${quantiles('(extract(epoch from t.ended_at - t.started_at) * 1000)::int')},
     (select count(*) from begun) > :most as truncated
   from latest l join chat_turns t on t.session_id = l.id`,
  inEnvironment,
  spread,
);

export const spending = query(
  'study-figures.spending',
  `${visits} select coalesce(sum(t.input_tokens), 0)::bigint as "inputTokens",
     coalesce(sum(t.output_tokens), 0)::bigint as "outputTokens", coalesce(sum(t.micros), 0)::bigint as micros
   from latest l join study_turns t on t.session_id = l.session_id`,
  some,
  { inputTokens: bigint, outputTokens: bigint, micros: bigint },
);
export const tools = query(
  'study-figures.tools',
  `${visits} select one ->> 'toolName' as name, count(*)::int as calls,
     count(*) filter (where not (one ->> 'ok')::boolean)::int as failed
   from latest l join study_turns t on t.session_id = l.session_id cross join lateral jsonb_array_elements(t.calls) one
   group by 1 order by 2 desc, 1 limit 100`,
  some,
  { name: text, calls: integer, failed: integer },
);
/**
 * The number of sessions by model, device, language and segment. Languages come last, because visitors send them and
 * there may be any number.
 */
export const shares = query(
  'study-figures.shares',
  `${visits} select n.facet, n.name, count(*)::int as count
   from latest l join study_visitors v on v.id = l.visitor_id cross join lateral (values
     ('model', l.model_id), ('device', v.device_kind), ('language', coalesce(v.language, 'unknown')), ('segment', v.kind))
     as n (facet, name)
   group by 1, 2 order by n.facet = 'language', 3 desc, 2 limit 200`,
  some,
  { facet: text, name: text, count: integer },
);
