export const browserSessions = {
  name: '0017-browser-sessions',
  sql: `
-- Processes that have browsers. One statement extends what all browsers of a process have in common.
create table browser_holders (
  id text collate "C" primary key,
  lease_until timestamptz(3) not null
);

-- What is stored in browsers of one name, sealed: it signs in.
create table browser_profiles (
  project_id text collate "C" not null references projects (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  name text collate "C" not null,
  sealed_id text collate "C" not null references sealed_values (id),
  updated_at timestamptz(3) not null default now(),
  primary key (project_id, user_id, name)
);
create index browser_profiles_user on browser_profiles (user_id);
create index browser_profiles_sealed on browser_profiles (sealed_id);

create table browser_sessions (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  -- Of a chat session; null for the browser of a program.
  chat_session_id text collate "C" references chat_sessions (id) on delete cascade,
  run_key text collate "C",
  idempotency_key text collate "C",
  -- As it was asked for, and as it is enforced.
  policy jsonb not null,
  effective jsonb not null,
  profile text collate "C",
  state text not null check (state in ('active', 'sleeping', 'closed')),
  closed_reason text,
  -- Null until it was awake for the first time.
  boot_id text,
  -- The process that has it while it is active. Once that is gone, so is the browser.
  holder_id text collate "C",
  -- What is stored in it while it sleeps, unless it has a profile; and the addresses of its tabs.
  sealed_id text collate "C" references sealed_values (id),
  tabs jsonb not null default '[]',
  entry_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  last_active_at timestamptz(3) not null default now(),
  check ((state = 'active') = (holder_id is not null))
);
create index browser_sessions_own on browser_sessions (project_id, user_id, id);
create index browser_sessions_user on browser_sessions (user_id, last_active_at) where state = 'active';
create index browser_sessions_chat on browser_sessions (chat_session_id, id);
create index browser_sessions_sealed on browser_sessions (sealed_id);
create unique index browser_sessions_run_key on browser_sessions (project_id, user_id, run_key) where run_key is not null;
create unique index browser_sessions_key on browser_sessions (organization_id, user_id, idempotency_key)
  where idempotency_key is not null;
create unique index browser_sessions_chat_open on browser_sessions (chat_session_id)
  where chat_session_id is not null and state <> 'closed';
create unique index browser_sessions_profile on browser_sessions (project_id, user_id, profile)
  where profile is not null and state <> 'closed';

-- What happened in a browser, in order. A command has its row before it runs: one that is pending may have run.
create table browser_entries (
  session_id text collate "C" not null references browser_sessions (id) on delete cascade,
  seq integer not null,
  kind text not null check (kind in ('command', 'note', 'event')),
  command_id text collate "C",
  -- Of what was sent, with what was typed; it tells nothing else.
  payload_hash text,
  -- Without what was typed.
  command jsonb,
  outcome jsonb,
  state text not null check (state in ('pending', 'done', 'unknown')),
  boot_id text,
  tab_id text,
  -- A picture.
  blob_id text collate "C",
  -- Of the turn in which a model sent it.
  turn_id text collate "C",
  tool_call_id text,
  tool_name text,
  step_index integer,
  at timestamptz(3) not null default now(),
  primary key (session_id, seq)
);
create unique index browser_entries_command on browser_entries (session_id, command_id) where command_id is not null;
create index browser_entries_pending on browser_entries (session_id) where state = 'pending';
create index browser_entries_turn on browser_entries (turn_id, seq) where turn_id is not null;

-- However a row goes or changes, what only it refers to goes with it.
create function forget_browser_sealed() returns trigger language plpgsql as $$
begin
  delete from sealed_values where id = old.sealed_id;
  return old;
end $$;
create trigger browser_session_deleted after delete on browser_sessions
  for each row when (old.sealed_id is not null) execute function forget_browser_sealed();
create trigger browser_session_emptied after update of sealed_id on browser_sessions
  for each row when (old.sealed_id is distinct from new.sealed_id and old.sealed_id is not null)
  execute function forget_browser_sealed();
create trigger browser_profile_deleted after delete on browser_profiles
  for each row execute function forget_browser_sealed();
create trigger browser_profile_saved after update of sealed_id on browser_profiles
  for each row when (old.sealed_id is distinct from new.sealed_id) execute function forget_browser_sealed();
create function forget_browser_picture() returns trigger language plpgsql as $$
begin
  delete from blobs where id = old.blob_id;
  return old;
end $$;
create trigger browser_entry_deleted after delete on browser_entries
  for each row when (old.blob_id is not null) execute function forget_browser_picture();
`,
};
