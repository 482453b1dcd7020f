import {
  bigint,
  flag,
  float,
  integer,
  json,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

const turns = table('chat_turns', {
  id: text,
  sessionId: text,
  organizationId: text,
  userId: text,
  idempotencyKey: text,
  requestHash: text,
  promptIndex: integer,
  state: oneOf<'running' | 'completed' | 'failed'>(),
  leaseToken: text,
  leaseUntil: time,
  modelCalled: flag,
  finishReason: orNull(text),
  error: orNull(text),
  usage: json<unknown>(),
  modelId: orNull(text),
  spanCount: integer,
  spansTruncated: flag,
  startedAt: time,
  endedAt: orNull(time),
});
export type TurnRow = RowOf<typeof turns.columns>;

/** A turn with an expired lease, whose process has died. */
const cutOff = `state = 'running' and lease_until < now()`;

/** Serializes requests with the same idempotency key, including the first two. */
export const lockIdempotencyKey = query(
  'chat-turns.lock-idempotency-key',
  `select from pg_advisory_xact_lock(hashtextextended(
     'chat-turn ' || :organizationId || ' ' || :userId || ' ' || :idempotencyKey, 4700))`,
  turns.pick(['organizationId', 'userId', 'idempotencyKey']),
);
const left = '(extract(epoch from lease_until - now()) * 1000)::float8';
export const findByKey = query(
  'chat-turns.find-by-key',
  `select ${turns.all()}, ${cutOff} as "cutOff", ${left} as "leftMs" from chat_turns
   where organization_id = :organizationId and user_id = :userId and idempotency_key = :idempotencyKey for update`,
  turns.pick(['organizationId', 'userId', 'idempotencyKey']),
  { ...turns.columns, cutOff: flag, leftMs: float },
);
/** The running turn of a session, and the milliseconds left of its lease. */
export const running = query(
  'chat-turns.running',
  `select id, ${cutOff} as "cutOff", ${left} as "leftMs"
   from chat_turns where session_id = :sessionId and state = 'running'`,
  { sessionId: text },
  { id: text, cutOff: flag, leftMs: float },
);
const begun = [
  'id',
  'sessionId',
  'organizationId',
  'userId',
  'idempotencyKey',
  'requestHash',
  'leaseToken',
] as const;
/** Inserts the next turn of its session. */
export const insert = query(
  'chat-turns.insert',
  `insert into chat_turns (id, session_id, organization_id, user_id, idempotency_key, request_hash, prompt_index,
     state, lease_token, lease_until)
   select :id, :sessionId, :organizationId, :userId, :idempotencyKey, :requestHash,
     coalesce((select max(prompt_index) + 1 from chat_turns where session_id = :sessionId), 0),
     'running', :leaseToken, now() + :lease * interval '1 ms'
   returning ${turns.all()}`,
  { ...turns.pick(begun), lease: float },
  turns.columns,
);
/** Restarts a turn for a request with the same idempotency key, if it has not called a model. */
export const takeOver = query(
  'chat-turns.take-over',
  `update chat_turns set state = 'running', lease_token = :leaseToken, lease_until = now() + :lease * interval '1 ms',
     error = null, started_at = now(), ended_at = null
   where id = :id and not model_called returning ${turns.all()}`,
  { id: text, leaseToken: text, lease: float },
  turns.columns,
);
const held = `id = :id and lease_token = :leaseToken and state = 'running'`;
export const extend = query(
  'chat-turns.extend',
  `update chat_turns set lease_until = now() + :lease * interval '1 ms' where ${held}`,
  { id: text, leaseToken: text, lease: float },
);
/** Records that a model is about to be called. Returns no row if the lease was lost. */
export const callsModel = query(
  'chat-turns.calls-model',
  `update chat_turns set model_called = true, model_id = :modelId where ${held}`,
  { id: text, leaseToken: text, modelId: text },
);
export const complete = query(
  'chat-turns.complete',
  `update chat_turns set state = 'completed', finish_reason = :finishReason, usage = :usage,
     span_count = :spanCount, spans = :spans, spans_truncated = :spansTruncated, ended_at = now() where ${held}`,
  {
    id: text,
    leaseToken: text,
    finishReason: text,
    usage: json<unknown>(),
    spanCount: integer,
    spans: json<unknown>(),
    spansTruncated: flag,
  },
);
export const fail = query(
  'chat-turns.fail',
  `update chat_turns set state = 'failed', error = :error, ended_at = now() where ${held}`,
  { id: text, leaseToken: text, error: text },
);
/** Fails turns whose process has died, in one session or in all. */
export const failCutOff = query(
  'chat-turns.fail-cut-off',
  `update chat_turns set state = 'failed', error = 'The service stopped while the turn ran', ended_at = lease_until
   where ${cutOff} and (:sessionId::text is null or session_id = :sessionId)`,
  { sessionId: orNull(text) },
);

const traced = { ...turns.columns, spans: json<unknown[]>() };
/** Ended turns in order. */
export const traces = query(
  'chat-turns.traces',
  `select ${turns.all()}, case when :spans then spans else '[]'::jsonb end as spans from chat_turns
   where session_id = :sessionId and state <> 'running' and (:id::text is null or id = :id)
     and prompt_index > :after order by prompt_index limit :most`,
  { sessionId: text, id: orNull(text), after: integer, spans: flag, most: bigint },
  traced,
  { index: 'chat_turns_place' },
);

export const ended = query(
  'chat-turns.ended',
  `select count(*)::int as count, max(prompt_index) as latest from chat_turns
   where session_id = :sessionId and state <> 'running'`,
  { sessionId: text },
  { count: integer, latest: orNull(integer) },
);
