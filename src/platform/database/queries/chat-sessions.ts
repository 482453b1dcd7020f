import { bigint, flag, integer, json, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';
import { viewer } from './projects.ts';
import { mayView } from './visibility.ts';

const sessions = table('chat_sessions', {
  id: text,
  organizationId: text,
  projectId: text,
  userId: orNull(text),
  visitorId: orNull(text),
  origin: text,
  title: text,
  status: oneOf<'active' | 'archived'>(),
  config: json<unknown>(),
  version: integer,
  messageCount: integer,
  firstMessage: text,
  inputTokens: bigint,
  outputTokens: bigint,
  createdAt: time,
  lastActivityAt: time,
});
export type SessionRow = RowOf<typeof sessions.columns>;

const made = [
  'id',
  'organizationId',
  'projectId',
  'userId',
  'visitorId',
  'origin',
  'title',
  'config',
  'firstMessage',
] as const;
export const insert = query(
  'chat-sessions.insert',
  `${sessions.insert(made)} returning ${sessions.all()}`,
  sessions.pick(made),
  sessions.columns,
);

const own = { id: text, organizationId: text, userId: text };
const mine = '(s.user_id = :userId or s.visitor_id = :userId)';
/**
 * A session of the user, or of a journey in the project. Conversations of visitors are part of their study. Sessions of
 * deleted projects are deleted too.
 */
export const findReadable = query(
  'chat-sessions.find-readable',
  `select ${sessions.all('s')} from chat_sessions s join projects p on p.id = s.project_id and p.deleted_at is null
   where s.id = :id and s.organization_id = :organizationId and (s.user_id = :userId or s.origin = 'swarm')`,
  own,
  sessions.columns,
);
/** Finds a session of the user only. `userId` may be a visitor's. */
export const find = query(
  'chat-sessions.find',
  `select ${sessions.all('s')} from chat_sessions s join projects p on p.id = s.project_id and p.deleted_at is null
   where s.id = :id and s.organization_id = :organizationId and ${mine}`,
  own,
  sessions.columns,
);
/** Locks the session, which serializes its turns. */
export const lock = query(
  'chat-sessions.lock',
  `select ${sessions.all('s')} from chat_sessions s join projects p on p.id = s.project_id and p.deleted_at is null
   where s.id = :id and s.organization_id = :organizationId and ${mine} for no key update of s`,
  own,
  sessions.columns,
);
const came = `s.version = 0 and s.origin <> 'study' and not exists (select from chat_turns t where t.session_id = s.id and t.model_called)`;
/**
 * Deletes a session whose only turn failed before it called a model, unless it has a browser. Sessions of study
 * visitors are kept for analysis.
 */
export const removeEmpty = query(
  'chat-sessions.remove-empty',
  `delete from chat_sessions s where s.id = :id and ${came}
     and not exists (select from browser_sessions b where b.chat_session_id = s.id)`,
  { id: text },
);
/** Clears the settings of a session whose first turn failed but which has a browser. The next message sets them. */
export const unpin = query(
  'chat-sessions.unpin',
  `update chat_sessions s set config = '{}' where s.id = :id and ${came}`,
  { id: text },
);
/** Stores the settings and the first message of a session that was opened with a browser. */
export const pin = query(
  'chat-sessions.pin',
  `update chat_sessions set ${sessions.set(['config', 'title', 'firstMessage'])} where id = :id returning ${sessions.all()}`,
  sessions.pick(['id', 'config', 'title', 'firstMessage']),
  sessions.columns,
);
export const addTurn = query(
  'chat-sessions.add-turn',
  `update chat_sessions set version = version + 1, message_count = message_count + :messages,
     input_tokens = input_tokens + :inputTokens, output_tokens = output_tokens + :outputTokens, last_activity_at = now()
   where id = :id returning version`,
  { id: text, messages: integer, inputTokens: bigint, outputTokens: bigint },
  { version: integer },
);

const page = { before: orNull(time), beforeId: text, most: bigint };
const behind = `(:before::timestamptz is null or (s.last_activity_at, s.id) < (:before, :beforeId))
   order by s.last_activity_at desc, s.id desc limit :most`;

/** Sessions of a user in the projects they have access to. */
export const listOwn = query(
  'chat-sessions.list-own',
  `select ${sessions.all('s')} from chat_sessions s join projects p on p.id = s.project_id and p.deleted_at is null
     left join project_members i on i.project_id = p.id and i.user_id = :userId
   where s.organization_id = :organizationId and s.user_id = :userId and ${mayView(':role', 'i.role')}
     and (:projectId::text is null or s.project_id = :projectId) and (:status::text is null or s.status = :status)
     and ${behind}`,
  { ...viewer, projectId: orNull(text), status: orNull(text), ...page },
  sessions.columns,
  { index: 'chat_sessions_own' },
);

/** The text of a message by a person, model or tool, without its JSON structure. */
const spoken = `case jsonb_typeof(c.content) when 'string' then c.content #>> '{}' else (
       select string_agg(said #>> '{}', ' ') from (
         select jsonb_path_query(c.content, 'strict $.**.text', '{}', true) as said
         union all select jsonb_path_query(c.content, 'strict $.**.value', '{}', true)
         union all select jsonb_path_query(c.content, 'strict $.**.toolName', '{}', true)) as parts
       where jsonb_typeof(said) = 'string') end`;
const found = { ...sessions.columns, match: orNull(text), studyId: orNull(text) };
/**
 * Sessions of a user in a project, or of its journeys or studies. `pattern` is matched against titles, `words` against
 * messages.
 */
export const search = query(
  'chat-sessions.search',
  `select ${sessions.all('s')}, (
     select ts_headline('simple', left(${spoken}, 50000), plainto_tsquery('simple', :words),
       'StartSel="", StopSel="", MaxWords=40, MinWords=20, MaxFragments=1') from chat_messages c
     where c.session_id = s.id and c.words @@ plainto_tsquery('simple', :words) order by c.number limit 1) as match,
     (select t.study_id from study_sessions t where t.session_id = s.id) as "studyId"
   from chat_sessions s
   where s.project_id = :projectId and s.user_id is not distinct from :userId
     and (:origin::text is null or s.origin = :origin) and (:status::text is null or s.status = :status)
     and (:pattern::text is null or s.title ilike :pattern)
     and (:words::text is null or exists (
       select from chat_messages m where m.session_id = s.id and m.words @@ plainto_tsquery('simple', :words)))
     and ${behind}`,
  {
    projectId: text,
    userId: orNull(text),
    origin: orNull(text),
    status: orNull(text),
    pattern: orNull(text),
    words: orNull(text),
    ...page,
  },
  found,
  { index: 'chat_sessions_project' },
);
export type FoundSession = RowOf<typeof found>;

const messages = table('chat_messages', {
  number: integer,
  role: text,
  content: json<unknown>(),
  truncated: flag,
});

export const messagesFrom = query(
  'chat-sessions.messages-from',
  `select ${messages.all()} from chat_messages where session_id = :sessionId and number >= :from
   order by number limit :most`,
  { sessionId: text, from: integer, most: bigint },
  messages.columns,
  { index: 'chat_messages_pkey' },
);
export const addMessage = query(
  'chat-sessions.add-message',
  `insert into chat_messages (session_id, number, turn_id, role, content, truncated, words)
   values (:sessionId, :number, :turnId, :role, :content, :truncated, to_tsvector('simple', :words))`,
  {
    sessionId: text,
    number: integer,
    turnId: text,
    role: text,
    content: json<unknown>(),
    truncated: flag,
    words: text,
  },
);
