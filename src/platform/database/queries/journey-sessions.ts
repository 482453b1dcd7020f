import {
  bigint,
  flag,
  float,
  integer,
  json,
  jsonText,
  listOf,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';
import { runsChannel } from './journey-runs.ts';
import { type LeasedRowOf, leaseQueries } from './leases.ts';

type AttemptStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'rate_limited';

const own = {
  projectId: text,
  runId: text,
  position: integer,
  target: integer,
  sessionIndex: integer,
  turns: integer,
};
export type LeasedSession = LeasedRowOf<typeof own>;
export const leases = leaseQueries('journey_sessions', own);

const sessions = table('journey_sessions', {
  id: text,
  organizationId: text,
  ...own,
  status: oneOf<AttemptStatus>(),
  errorCode: orNull(text),
  errorMessage: orNull(text),
  turnCap: flag,
  startedAt: orNull(time),
  touchedAt: orNull(time),
  finishedAt: orNull(time),
  generation: integer,
  criteria: orNull(json<unknown>()),
  judge: orNull(json<unknown>()),
  facts: orNull(json<unknown>()),
});
export type SessionRow = RowOf<typeof sessions.columns>;

/** Inserts all sessions of a run. The first session of each of the first `atOnce` targets is due immediately. */
export const insert = query(
  'journey-sessions.insert',
  `with added as (
     insert into journey_sessions (id, organization_id, project_id, run_id, position, target, session_index, due_at)
     select n.id, :organizationId, :projectId, :runId, n.position, n.target, n.session_index,
       case when n.session_index = 0 and n.target < :atOnce then now() end
     from unnest(:ids::text[], :positions::int[], :targets::int[], :indexes::int[])
       as n (id, position, target, session_index)
     returning id),
   announced as (select pg_notify('${leases.dueChannel}', 'journey-session') from added limit 1)
   select from announced`,
  {
    organizationId: text,
    projectId: text,
    runId: text,
    atOnce: integer,
    ids: texts,
    positions: listOf(integer),
    targets: listOf(integer),
    indexes: listOf(integer),
  },
);

const held = `id = :id and lease_token = :leaseToken and state = 'running'`;
const lease = { id: text, leaseToken: text };
/** Begins a session and creates its chat session. Returns no row if the lease was lost. */
export const begin = query(
  'journey-sessions.begin',
  `with held as (
     update journey_sessions set status = 'running', started_at = coalesce(started_at, now()), touched_at = now()
     where ${held} returning id, run_id, organization_id, project_id, turns),
   made as (
     insert into chat_sessions (id, organization_id, project_id, user_id, origin, title, config, first_message)
     select id, organization_id, project_id, null, 'swarm', :title, :config, '' from held on conflict do nothing),
   announced as (select pg_notify('${runsChannel}', run_id) from held)
   select h.turns, t.finish_reason as "lastFinish" from held h left join announced on true
     left join chat_turns t on t.session_id = h.id and t.prompt_index = h.turns - 1`,
  { ...lease, title: text, config: json<unknown>() },
  { turns: integer, lastFinish: orNull(text) },
);

/**
 * Adds a message of the persona and the answers to it, unless the lease was lost. Resets the attempts, because the
 * session makes progress.
 */
export const addTurn = query(
  'journey-sessions.add-turn',
  `with held as (
     update journey_sessions set turns = turns + 1, attempts = 1, touched_at = now() where ${held} returning id, run_id, organization_id),
   turn as (
     insert into chat_turns (id, session_id, organization_id, user_id, idempotency_key, request_hash, prompt_index, state,
       lease_token, lease_until, model_called, finish_reason, usage, model_id, span_count, spans, spans_truncated,
       started_at, ended_at)
     select :turnId, id, organization_id, '', :turnId, '', :promptIndex, 'completed', '', now(), true, :finishReason,
       :usage, :modelId, :spanCount, :spans, :spansTruncated, :startedAt, now() from held),
   seen as (insert into journey_turns (session_id, prompt_index, evidence) select id, :promptIndex, :evidence from held),
   said as (
     insert into chat_messages (session_id, number, turn_id, role, content, truncated, words)
     select h.id, m.number, :turnId, m.role, m.content, m.truncated, to_tsvector('simple', m.words)
     from held h, unnest(:numbers::int[], :roles::text[], :contents::jsonb[], :truncated::boolean[], :words::text[])
       as m (number, role, content, truncated, words)),
   session as (
     update chat_sessions set version = version + 1, message_count = message_count + cardinality(:numbers::int[]),
       input_tokens = input_tokens + :inputTokens, output_tokens = output_tokens + :outputTokens,
       first_message = case when first_message = '' then :firstMessage else first_message end, last_activity_at = now()
     where id in (select id from held)),
   announced as (select pg_notify('${runsChannel}', run_id) from held)
   select h.id from held h left join announced on true`,
  {
    ...lease,
    turnId: text,
    promptIndex: integer,
    finishReason: text,
    usage: json<unknown>(),
    modelId: text,
    spanCount: integer,
    spans: jsonText,
    spansTruncated: flag,
    startedAt: time,
    evidence: jsonText,
    numbers: listOf(integer),
    roles: texts,
    contents: listOf(jsonText),
    truncated: listOf(flag),
    words: texts,
    inputTokens: bigint,
    outputTokens: bigint,
    firstMessage: text,
  },
  { id: text },
);

const over = { status: text, errorCode: orNull(text), errorMessage: orNull(text) };
/** Records the outcome of a session whose lease has just ended. */
export const close = query(
  'journey-sessions.close',
  `update journey_sessions set status = :status, error_code = :errorCode, error_message = :errorMessage,
     turn_cap = :turnCap, touched_at = now(), criteria = :criteria, judge = :judge where id = :id`,
  { id: text, ...over, turnCap: flag, criteria: orNull(json<unknown>()), judge: orNull(json<unknown>()) },
);
/** Closes the sessions of a run, or of one of its targets, that have not started. Returns their number. */
export const closePending = query(
  'journey-sessions.close-pending',
  `update journey_sessions set state = 'cancelled', due_at = null, lease_token = null, finished_at = now(),
     status = :status, error_code = :errorCode, error_message = :errorMessage
   where run_id = :runId and status = 'pending' and (:target::int is null or target = :target)`,
  { runId: text, target: orNull(integer), ...over },
);
export const openIds = query(
  'journey-sessions.open-ids',
  `select id from journey_sessions where run_id = :runId and status in ('pending', 'running') order by id`,
  { runId: text },
  { id: text },
);
/** Closes the sessions that were interrupted. Returns their number. */
export const closeRunning = query(
  'journey-sessions.close-running',
  `update journey_sessions set status = :status, error_code = :errorCode, error_message = :errorMessage,
     touched_at = now() where run_id = :runId and status = 'running'`,
  { runId: text, ...over },
);
/** Makes the next session of the target due, otherwise the first one of the next target that has not started. */
export const release = query(
  'journey-sessions.release',
  `with next as (
     select id from journey_sessions where run_id = :runId and status = 'pending' and due_at is null
       and (target = :target or session_index = 0)
     order by (target = :target) desc, position limit 1),
   due as (update journey_sessions set due_at = now() where id in (select id from next) returning id),
   announced as (select pg_notify('${leases.dueChannel}', 'journey-session') from due)
   select d.id from due d left join announced on true`,
  { runId: text, target: integer },
  { id: text },
);

const ofRun = { runId: text };
export const listOfRun = query(
  'journey-sessions.list-of-run',
  `select ${sessions.all()} from journey_sessions where run_id = :runId order by position`,
  ofRun,
  sessions.columns,
  { index: 'journey_sessions_position' },
);
const attempts = sessions.pick([
  'id',
  'target',
  'sessionIndex',
  'status',
  'turns',
  'errorCode',
  'errorMessage',
  'startedAt',
]);
export type AttemptRow = RowOf<typeof attempts>;
/** How each session ended, without its grades. */
export const attemptsOfRun = query(
  'journey-sessions.attempts-of-run',
  `select id, target, session_index as "sessionIndex", status, turns, error_code as "errorCode",
     error_message as "errorMessage", started_at as "startedAt"
   from journey_sessions where run_id = :runId order by position`,
  ofRun,
  attempts,
  { index: 'journey_sessions_position' },
);
/** A mark per session, which changes whenever its details change. Reads no large columns. */
export const marks = query(
  'journey-sessions.marks',
  `select id, status || ' ' || turns || case when facts is null then '' else ' graded' end as mark
   from journey_sessions where run_id = :runId order by position`,
  ofRun,
  { id: text, mark: text },
  { index: 'journey_sessions_position' },
);
export const some = query(
  'journey-sessions.some',
  `select ${sessions.all()} from journey_sessions where id = any(:ids) order by position`,
  { ids: texts },
  sessions.columns,
);
const shown = {
  ...sessions.columns,
  archival: orNull(oneOf<'active' | 'archived'>()),
  messageCount: orNull(integer),
  firstMessage: orNull(text),
  lastActivityAt: orNull(time),
};
export type ShownSession = RowOf<typeof shown>;
/** Sessions with columns of their chat sessions. */
export const page = query(
  'journey-sessions.page',
  `select ${sessions.all('s')}, c.status as archival, c.message_count as "messageCount",
     c.first_message as "firstMessage", c.last_activity_at as "lastActivityAt"
   from journey_sessions s left join chat_sessions c on c.id = s.id
   where s.run_id = :runId and s.position > :after order by s.position limit :most`,
  { ...ofRun, after: integer, most: bigint },
  shown,
  { index: 'journey_sessions_position' },
);
/** The last time a process worked on the run. */
export const heartbeat = query(
  'journey-sessions.heartbeat',
  `select max(greatest(touched_at, case when state = 'running' then due_at - :lease * interval '1 s' end)) as at
   from journey_sessions where run_id = :runId`,
  { ...ofRun, lease: float },
  { at: orNull(time) },
);
export const find = query(
  'journey-sessions.find',
  `select ${sessions.all()} from journey_sessions where id = :id`,
  { id: text },
  sessions.columns,
);
export const evidence = query(
  'journey-sessions.evidence',
  'select evidence from journey_turns where session_id = :id order by prompt_index',
  { id: text },
  { evidence: json<unknown>() },
  { index: 'journey_turns_pkey' },
);
/** Records the grade, unless another grading has replaced this one. Returns no row then. */
export const grade = query(
  'journey-sessions.grade',
  `update journey_sessions set criteria = :criteria, judge = :judge, facts = :facts
   where id = :id and generation = :generation and facts is null`,
  {
    id: text,
    generation: integer,
    criteria: orNull(json<unknown>()),
    judge: orNull(json<unknown>()),
    facts: json<unknown>(),
  },
);
