export const chatSessions = {
  name: '0016-chat-sessions',
  sql: `
-- A conversation of one person with a model that may call tools of saved servers.
create table chat_sessions (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  -- Only those of the API go on there.
  origin text not null,
  title text not null,
  status text not null default 'active' check (status in ('active', 'archived')),
  -- Pinned by the first turn: model, servers or environment, prompt, temperature, tools.
  config jsonb not null,
  -- Counts the turns that were stored.
  version integer not null default 0,
  message_count integer not null default 0,
  first_message text not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  last_activity_at timestamptz(3) not null default now()
);
create index chat_sessions_own on chat_sessions (organization_id, user_id, last_activity_at desc, id desc);
create index chat_sessions_project on chat_sessions (project_id, last_activity_at desc, id desc);

-- A row before anything runs. Whoever runs it extends the lease; one that ran out was cut off.
create table chat_turns (
  id text collate "C" primary key,
  session_id text collate "C" not null references chat_sessions (id) on delete cascade,
  organization_id text collate "C" not null,
  user_id text collate "C" not null,
  idempotency_key text not null,
  request_hash text not null,
  prompt_index integer not null,
  state text not null check (state in ('running', 'completed', 'failed')),
  -- Of whoever runs it now.
  lease_token text not null,
  lease_until timestamptz(3) not null,
  -- From here on it may have cost something, so that the same key does not run it again.
  model_called boolean not null default false,
  finish_reason text,
  error text,
  usage jsonb not null default '{}',
  model_id text,
  span_count integer not null default 0,
  spans jsonb not null default '[]',
  spans_truncated boolean not null default false,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  constraint chat_turns_key unique (organization_id, user_id, idempotency_key)
);
create unique index chat_turns_place on chat_turns (session_id, prompt_index);
-- One at a time.
create unique index chat_turns_running on chat_turns (session_id) where state = 'running';

create table chat_messages (
  session_id text collate "C" not null references chat_sessions (id) on delete cascade,
  number integer not null,
  turn_id text collate "C" not null,
  role text not null,
  content jsonb not null,
  truncated boolean not null default false,
  -- What is said in it, for those who look for words.
  words tsvector not null,
  primary key (session_id, number)
);
create index chat_messages_words on chat_messages using gin (words);
`,
};
