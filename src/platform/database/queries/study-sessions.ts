import {
  bigint,
  flag,
  integer,
  json,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { lockOn } from '../common-queries.ts';
import { query } from '../query.ts';

const sessions = table('study_sessions', {
  sessionId: text,
  studyId: text,
  visitorId: text,
  environmentId: text,
  cameBack: flag,
  modelId: text,
  toolCalls: integer,
  authInterrupted: flag,
  rating: orNull(integer),
  comment: orNull(text),
  ratedAt: orNull(time),
  startedAt: time,
  lastActivityAt: time,
});
/** Includes columns of the chat session and the visitor. */
const shown = {
  ...sessions.columns,
  title: text,
  firstMessage: text,
  messageCount: integer,
  kind: oneOf<'guest' | 'invited' | 'member'>(),
  displayName: orNull(text),
  deviceKind: text,
  language: orNull(text),
};
export type StudySessionRow = RowOf<typeof shown>;
const all = `${sessions.all('s')}, c.title, c.first_message as "firstMessage", c.message_count as "messageCount",
   v.kind, v.display_name as "displayName", v.device_kind as "deviceKind", v.language`;
const from = `from study_sessions s join chat_sessions c on c.id = s.session_id
   join study_visitors v on v.id = s.visitor_id`;

const made = ['sessionId', 'studyId', 'visitorId', 'environmentId', 'cameBack', 'modelId'] as const;
export const insert = query('study-sessions.insert', sessions.insert(made), sessions.pick(made));
export const list = query(
  'study-sessions.list',
  `select ${all} ${from} where s.study_id = :studyId
     and (:before::timestamptz is null or (s.last_activity_at, s.session_id) < (:before, :beforeId))
   order by s.last_activity_at desc, s.session_id desc limit :most`,
  { studyId: text, before: orNull(time), beforeId: text, most: bigint },
  shown,
  { index: 'study_sessions_study' },
);
export const find = query(
  'study-sessions.find',
  `select ${all} ${from} where s.session_id = :sessionId and s.study_id = :studyId`,
  { studyId: text, sessionId: text },
  shown,
);
export const ofVisitor = query(
  'study-sessions.of-visitor',
  `select ${all} ${from} where s.visitor_id = :visitorId and c.message_count > 0
   order by s.last_activity_at desc limit 20`,
  { visitorId: text },
  shown,
);
export const findOwn = query(
  'study-sessions.find-own',
  `select ${all} ${from} where s.session_id = :sessionId and s.visitor_id = :visitorId`,
  { visitorId: text, sessionId: text },
  shown,
);
export const rate = query(
  'study-sessions.rate',
  `update study_sessions set rating = :rating, comment = :comment, rated_at = now(), last_activity_at = now()
   where session_id = :sessionId and visitor_id = :visitorId returning session_id as "sessionId"`,
  { sessionId: text, visitorId: text, rating: integer, comment: orNull(text) },
  { sessionId: text },
);
export const touch = query(
  'study-sessions.touch',
  `update study_sessions set tool_calls = tool_calls + :toolCalls, last_activity_at = now(),
     auth_interrupted = auth_interrupted or :authInterrupted where session_id = :sessionId`,
  { sessionId: text, toolCalls: integer, authInterrupted: flag },
);

/** A tool call of a turn, and whether it succeeded. */
export interface TurnCall {
  toolName: string;
  serverId?: string;
  ok: boolean;
  error?: string;
}
const turns = table('study_turns', {
  sessionId: text,
  turnId: text,
  asked: text,
  answered: flag,
  error: orNull(text),
  durationMs: integer,
  calls: json<TurnCall[]>(),
  inputTokens: integer,
  outputTokens: integer,
  micros: bigint,
  at: time,
});
const noted = [
  'sessionId',
  'turnId',
  'asked',
  'answered',
  'error',
  'durationMs',
  'calls',
  'inputTokens',
  'outputTokens',
  'micros',
] as const;
/** Inserts a turn once, even if the commit was repeated after a lost confirmation. */
export const addTurn = query(
  'study-sessions.add-turn',
  `${turns.insert(noted)} on conflict do nothing`,
  turns.pick(noted),
);
export const turnsOf = query(
  'study-sessions.turns-of',
  `select ${turns.all()} from study_turns where session_id = any(:sessionIds) order by session_id, at, turn_id`,
  { sessionIds: texts },
  turns.columns,
  { index: 'study_turns_pkey' },
);
/** The input of detectors: the latest turns in a period of each of these sessions. */
export const turnsIn = query(
  'study-sessions.turns-in',
  `select t.* from unnest(:sessionIds::text[]) as s (id) cross join lateral (
     select session_id as "sessionId", turn_id as "turnId", asked, answered, duration_ms as "durationMs", calls, at
     from study_turns
     where session_id = s.id and at >= :from and at < :to order by at desc, turn_id desc limit :most) t
   order by t."sessionId", t.at, t."turnId"`,
  { sessionIds: texts, from: time, to: time, most: bigint },
  turns.pick(['sessionId', 'turnId', 'asked', 'answered', 'durationMs', 'calls', 'at']),
);
/** Whether a session has messages in a period, as `t.said`. */
const saidIn = `left join lateral (
     select true as said from study_turns where session_id = s.session_id and at >= :from and at < :to limit 1) t on true`;
const isActive = `s.last_activity_at >= :from and (t.said or s.rated_at >= :from and s.rated_at < :to)`;
const visited = `s.session_id as "sessionId", s.rating, s.rated_at as "ratedAt", s.last_activity_at as "lastActivityAt"`;
const visit = sessions.pick(['sessionId', 'rating', 'ratedAt', 'lastActivityAt']);
const period = { studyId: text, from: time, to: time, most: bigint };
/** Sessions with messages or ratings in a period, latest first. */
export const active = query(
  'study-sessions.active',
  `select ${visited} from study_sessions s ${saidIn}
   where s.study_id = :studyId and ${isActive}
   order by s.last_activity_at desc, s.session_id desc limit :most`,
  period,
  visit,
  { index: 'study_sessions_study' },
);
/**
 * Sessions that may have changed since a time: active since, or already when they were counted in the window.
 * `isActive`: the session has messages or ratings in the period.
 */
export const changed = query(
  'study-sessions.changed',
  `select ${visited}, coalesce(${isActive}, false) as "isActive"
   from (select session_id from study_sessions where study_id = :studyId and last_activity_at >= :since
     union select session_id from study_visits
       where study_id = :studyId and window_id = :windowId and last_activity_at >= :since) c
     join study_sessions s on s.session_id = c.session_id and s.study_id = :studyId ${saidIn}
   limit :most`,
  { ...period, windowId: text, since: time },
  { ...visit, isActive: flag },
);
/** The oldest session with messages or ratings in a period that is not counted in the window. */
export const uncounted = query(
  'study-sessions.uncounted',
  `select s.session_id as "sessionId" from study_sessions s ${saidIn}
   where s.study_id = :studyId and ${isActive}
     and not exists (select from study_visits where session_id = s.session_id and window_id = :windowId)
   order by s.last_activity_at, s.session_id limit 1`,
  { studyId: text, from: time, to: time, windowId: text },
  { sessionId: text },
  { index: 'study_sessions_study' },
);
export const latestActivity = query(
  'study-sessions.latest-activity',
  'select max(last_activity_at) as at from study_sessions where study_id = :studyId',
  { studyId: text },
  { at: orNull(time) },
);

export const spent = query(
  'study-sessions.spent',
  'select micros from study_spending where study_id = :studyId and day = :day',
  { studyId: text, day: text },
  { micros: bigint },
);
/** Serializes the start of turns in a study, so that each counts the previous ones. */
export const lockTurnStarts = lockOn('study-sessions.lock-turn-starts', "'study turns ' || :studyId", {
  studyId: text,
});
/** Turns that run now: of all guests, and of one visitor. */
export const running = query(
  'study-sessions.running',
  `select (count(*) filter (where v.kind = 'guest'))::int as guests,
     (count(*) filter (where v.id = :visitorId))::int as own
   from chat_turns t join study_sessions s on s.session_id = t.session_id join study_visitors v on v.id = s.visitor_id
   where s.study_id = :studyId and t.state = 'running' and t.lease_until > now()`,
  { studyId: text, visitorId: text },
  { guests: integer, own: integer },
);

const approvals = { turnId: text, toolCallId: text };
export const askApproval = query(
  'study-sessions.ask-approval',
  `insert into tool_approvals (turn_id, tool_call_id, session_id) values (:turnId, :toolCallId, :sessionId)
   on conflict on constraint tool_approvals_pkey do update set approved = null, asked_at = now()`,
  { ...approvals, sessionId: text },
);
export const approvalChannel = 'tool_approvals';
/** Decides an approval once, by the chatting visitor. */
export const decide = query(
  'study-sessions.decide',
  `with decided as (
     update tool_approvals a set approved = :approved from study_sessions s
     where a.turn_id = :turnId and a.tool_call_id = :toolCallId and a.approved is null
       and s.session_id = a.session_id and s.visitor_id = :visitorId returning a.turn_id),
   announced as (select pg_notify('${approvalChannel}', turn_id) from decided)
   select d.turn_id as "turnId" from decided d left join announced on true`,
  { ...approvals, approved: flag, visitorId: text },
  { turnId: text },
);
export const decision = query(
  'study-sessions.decision',
  'select approved from tool_approvals where turn_id = :turnId and tool_call_id = :toolCallId',
  approvals,
  { approved: orNull(flag) },
);
export const forgetApprovals = query(
  'study-sessions.forget-approvals',
  'delete from tool_approvals where turn_id = :turnId',
  { turnId: text },
);

const widgets = table('study_widgets', {
  sessionId: text,
  toolCallId: text,
  serverId: text,
  tool: json<unknown>(),
  uri: text,
  input: json<unknown>(),
  result: json<unknown>(),
  calls: integer,
});
export type WidgetRow = RowOf<typeof widgets.columns>;
const kept = ['sessionId', 'toolCallId', 'serverId', 'tool', 'uri', 'input', 'result'] as const;
export const keepWidget = query(
  'study-sessions.keep-widget',
  `${widgets.insert(kept)} on conflict do nothing`,
  widgets.pick(kept),
);
export const findWidget = query(
  'study-sessions.find-widget',
  `select ${widgets.all('w')} from study_widgets w join study_sessions s on s.session_id = w.session_id
   where w.session_id = :sessionId and w.tool_call_id = :toolCallId and s.visitor_id = :visitorId`,
  { sessionId: text, toolCallId: text, visitorId: text },
  widgets.columns,
);
export const widgetIds = query(
  'study-sessions.widget-ids',
  'select tool_call_id as id from study_widgets where session_id = :sessionId',
  { sessionId: text },
  { id: text },
);
/** Counts a request of a widget. Returns no row if the limit is reached. */
export const countWidgetRequest = query(
  'study-sessions.count-widget-request',
  `update study_widgets set calls = calls + 1
   where session_id = :sessionId and tool_call_id = :toolCallId and calls < :most returning calls`,
  { sessionId: text, toolCallId: text, most: integer },
  { calls: integer },
);
