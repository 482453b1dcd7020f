export const studies = {
  name: '0019-studies',
  sql: `
-- On from the start, until an operator switches it off.
insert into organization_features (organization_id, feature) select id, 'user-testing' from organizations
  on conflict do nothing;

-- An environment that people may try. Unpublished ones stay, with what was learned from them.
create table studies (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  environment_id text collate "C" not null references environments (id) on delete cascade,
  name text not null,
  description text,
  mode text not null check (mode in ('project_members', 'invited_only', 'anyone_with_link')),
  -- Grows whenever somebody may lose access; grants of an older version open nothing.
  access_version integer not null default 1,
  -- The token of the link: what it is known by, and sealed for those who may copy it. Null while unpublished.
  link_hash bytea,
  link_sealed_id text collate "C" references sealed_values (id),
  guest_execution jsonb not null,
  published_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index studies_project on studies (project_id, id desc);
create index studies_environment on studies (environment_id, id);
create unique index studies_link on studies (link_hash);
create index studies_sealed on studies (link_sealed_id);

create table study_members (
  id text collate "C" primary key,
  study_id text collate "C" not null references studies (id) on delete cascade,
  email text not null,
  invited_by text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  constraint study_members_email unique (study_id, email)
);
create index study_members_study on study_members (study_id, id);

-- What lets an invited person in once, by mail or handed over.
create table study_tickets (
  hash bytea primary key,
  member_id text collate "C" not null references study_members (id) on delete cascade,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now()
);
create index study_tickets_member on study_tickets (member_id, created_at);

create table study_visitors (
  id text collate "C" primary key,
  study_id text collate "C" not null references studies (id) on delete cascade,
  kind text not null check (kind in ('guest', 'invited', 'member')),
  -- Of those who are signed in; of those who were invited, as long as they are.
  user_id text collate "C" references users (id) on delete cascade,
  member_id text collate "C" references study_members (id) on delete set null,
  display_name text,
  device_kind text not null,
  language text,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now()
);
create index study_visitors_study on study_visitors (study_id, created_at);
create unique index study_visitors_user on study_visitors (study_id, user_id) where user_id is not null;
create unique index study_visitors_member on study_visitors (member_id) where member_id is not null;
create index study_visitors_of_user on study_visitors (user_id) where user_id is not null;

create table study_grants (
  token_hash bytea primary key,
  visitor_id text collate "C" not null references study_visitors (id) on delete cascade,
  access_version integer not null,
  created_at timestamptz(3) not null default now()
);
create index study_grants_visitor on study_grants (visitor_id, created_at);

-- Conversations of visitors belong to the study; whoever began one goes on with it.
alter table chat_sessions add column visitor_id text collate "C" references study_visitors (id) on delete set null;
create index chat_sessions_visitor on chat_sessions (visitor_id) where visitor_id is not null;

create table study_sessions (
  session_id text collate "C" primary key references chat_sessions (id) on delete cascade,
  study_id text collate "C" not null references studies (id) on delete cascade,
  visitor_id text collate "C" not null references study_visitors (id) on delete cascade,
  environment_id text collate "C" not null,
  came_back boolean not null,
  model_id text not null,
  tool_calls integer not null default 0,
  -- A server asked for a grant that nobody had given.
  auth_interrupted boolean not null default false,
  rating integer check (rating in (-1, 1)),
  comment text,
  rated_at timestamptz(3),
  started_at timestamptz(3) not null default now(),
  last_activity_at timestamptz(3) not null default now()
);
create index study_sessions_study on study_sessions (study_id, last_activity_at desc, session_id desc);
create index study_sessions_visitor on study_sessions (visitor_id, last_activity_at desc);

-- What detectors go by: one row for each message that was answered, or was not.
create table study_turns (
  session_id text collate "C" not null references study_sessions (session_id) on delete cascade,
  turn_id text collate "C" not null,
  asked text not null,
  answered boolean not null,
  error text,
  duration_ms integer not null,
  -- Of each call: tool, server, whether it worked, and what it said if not.
  calls jsonb not null,
  input_tokens integer not null,
  output_tokens integer not null,
  micros bigint not null,
  at timestamptz(3) not null default now(),
  primary key (session_id, turn_id)
);

-- What guests have cost, by day (UTC).
create table study_spending (
  study_id text collate "C" not null references studies (id) on delete cascade,
  day text not null,
  micros bigint not null,
  primary key (study_id, day)
);

-- A call of a tool that waits for the word of whoever chats. Null until it is said.
create table tool_approvals (
  turn_id text collate "C" not null,
  tool_call_id text not null,
  session_id text collate "C" not null references chat_sessions (id) on delete cascade,
  approved boolean,
  asked_at timestamptz(3) not null default now(),
  primary key (turn_id, tool_call_id)
);
create index tool_approvals_session on tool_approvals (session_id);

-- Calls of tools that have an interface, with what it is shown.
create table study_widgets (
  session_id text collate "C" not null references study_sessions (session_id) on delete cascade,
  tool_call_id text not null,
  server_id text collate "C" not null,
  tool jsonb not null,
  uri text not null,
  input jsonb not null,
  result jsonb not null,
  calls integer not null default 0,
  primary key (session_id, tool_call_id)
);

-- Seven days of a study, and what was counted in them.
create table study_windows (
  study_id text collate "C" not null references studies (id) on delete cascade,
  id text collate "C" not null,
  start_at timestamptz(3) not null,
  analysed_at timestamptz(3) not null,
  sessions integer not null,
  signals jsonb not null,
  primary key (study_id, id)
);
create index study_windows_order on study_windows (study_id, start_at desc);

-- What a wave showed before is looked for by the wave.
create index journey_observations_wave on journey_observations (project_id, wave_id);

-- As of journeys; a window is what a wave is there.
create table study_observations (
  study_id text collate "C" not null references studies (id) on delete cascade,
  fingerprint text collate "C" not null,
  wave_id text collate "C" not null,
  wave_at timestamptz(3) not null,
  fired boolean not null,
  affected integer not null,
  total integer not null,
  primary key (study_id, wave_id, fingerprint)
);
create index study_observations_order on study_observations (study_id, fingerprint, wave_at desc, wave_id desc);

create table study_findings (
  id text collate "C" primary key,
  study_id text collate "C" not null references studies (id) on delete cascade,
  fingerprint text collate "C" not null,
  dimension text not null,
  subject jsonb not null,
  status text not null check (status in ('new', 'recurring', 'regressed', 'resolved')),
  occurrence_count integer not null,
  last_seen_wave_id text collate "C" not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  dismissed_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  constraint study_findings_fingerprint unique (study_id, fingerprint)
);
create index study_findings_study on study_findings (study_id, updated_at desc, id desc);

create table study_insights (
  study_id text collate "C" not null references studies (id) on delete cascade,
  wave_id text collate "C" not null,
  -- Counts the requests; only the last one is answered.
  request integer not null default 1,
  status text not null check (status in ('pending', 'completed', 'failed', 'canceled')),
  insights jsonb,
  discovery jsonb,
  error_code text,
  error_message text,
  requested_by text collate "C" not null,
  updated_at timestamptz(3) not null default now(),
  primary key (study_id, wave_id)
);

-- What people without an account may look at, and until when.
create table shares (
  project_id text collate "C" not null references projects (id) on delete cascade,
  kind text not null check (kind in ('evalRun', 'conformanceRun')),
  target_id text collate "C" not null,
  -- Counts the changes.
  policy_version integer not null,
  link_hash bytea,
  link_sealed_id text collate "C" references sealed_values (id),
  expires_at timestamptz(3),
  updated_by text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (project_id, kind, target_id)
);
create unique index shares_link on shares (link_hash);
create index shares_sealed on shares (link_sealed_id);
`,
};
