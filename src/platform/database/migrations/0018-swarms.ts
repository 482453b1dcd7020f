export const swarms = {
  name: '0018-swarms',
  sql: `
-- On from the start, until an operator switches it off.
insert into organization_features (organization_id, feature) select id, 'swarms' from organizations
  on conflict do nothing;

create table personas (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  slug text not null,
  name text not null,
  role text not null,
  notes text,
  source text not null default 'manual' check (source in ('manual', 'generated', 'cluster')),
  avatar_shape integer,
  avatar_palette integer,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint personas_slug unique (project_id, slug)
);
create index personas_project on personas (project_id, id desc);

create table swarms (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  description text,
  environment_ids text[] collate "C" not null,
  sessions_per_target integer,
  max_turns integer,
  rubric jsonb,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index swarms_live on swarms (project_id, id desc) where archived_at is null;
create index swarms_project on swarms (project_id, id);

create table journeys (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  goal text not null,
  -- Without a reference: an archived journey does not hold its persona.
  persona_id text collate "C" not null,
  swarm_id text collate "C" references swarms (id),
  environment_ids text[] collate "C" not null,
  host_ids text[] collate "C" not null,
  server_group_id text collate "C",
  sessions_per_target integer,
  max_turns integer,
  rubric jsonb,
  judge jsonb not null,
  pass_threshold double precision not null,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index journeys_live on journeys (project_id, id desc) where archived_at is null;
create index journeys_project on journeys (project_id, id);
create index journeys_persona on journeys (persona_id, id) where archived_at is null;
create index journeys_swarm on journeys (swarm_id) where swarm_id is not null;

create table journey_runs (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  journey_id text collate "C" not null references journeys (id) on delete cascade,
  wave_id text collate "C" not null,
  status text not null default 'running'
    check (status in ('running', 'completed', 'partial', 'failed', 'rate_limited')),
  error text,
  started_by text collate "C" not null,
  idempotency_key text collate "C",
  request_hash text,
  journey_name text not null,
  persona jsonb not null,
  targets jsonb not null,
  total integer not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  rate_limited integer not null default 0,
  -- Sessions that are to be graded, and those that were.
  to_grade integer not null default 0,
  graded integer not null default 0,
  -- What its graders are; null where there are none.
  rubric jsonb,
  judged boolean not null,
  pass_threshold double precision not null,
  -- Made when the grading is over: what it comes to, and how often each criterion and the goal were met.
  verdict jsonb,
  tally jsonb,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  updated_at timestamptz(3) not null default now()
) with (fillfactor = 70);
create index journey_runs_journey on journey_runs (journey_id, id desc);
create index journey_runs_project on journey_runs (project_id, id desc);
create index journey_runs_wave on journey_runs (project_id, wave_id, id);
create index journey_runs_open on journey_runs (created_at) where status = 'running';
create unique index journey_runs_key on journey_runs (project_id, idempotency_key)
  where idempotency_key is not null;

-- What the run was made of; never changed.
create table journey_run_snapshots (
  run_id text collate "C" primary key references journey_runs (id) on delete cascade,
  snapshot jsonb not null
);

-- The tools of each target as its servers declared them when its first session began.
create table journey_run_tools (
  run_id text collate "C" not null references journey_runs (id) on delete cascade,
  target integer not null,
  tools jsonb not null,
  primary key (run_id, target)
);

-- Sessions are worked on under a lease, those of a target one after the other: one whose turn has not come is waiting
-- without being due.
create table journey_sessions (
  id text collate "C" primary key,
  kind text not null default 'journey-session',
  organization_id text collate "C" not null,
  project_id text collate "C" not null,
  run_id text collate "C" not null references journey_runs (id) on delete cascade,
  -- Of all sessions of the run, target by target; and which target, and which of its sessions.
  position integer not null,
  target integer not null,
  session_index integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  due_at timestamptz(3),
  attempts integer not null default 0,
  lease_token text,
  last_error text,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  -- What became of it, as it is told.
  status text not null default 'pending'
    check (status in ('pending', 'running', 'succeeded', 'failed', 'rate_limited')),
  error_code text,
  error_message text,
  turns integer not null default 0,
  -- Why it ended: the persona was done, or it had all its turns.
  turn_cap boolean not null default false,
  started_at timestamptz(3),
  touched_at timestamptz(3),
  -- Which attempt at grading is the one that counts.
  generation integer not null default 1,
  criteria jsonb,
  judge jsonb,
  -- What detectors go by.
  facts jsonb,
  constraint journey_sessions_position unique (run_id, position)
) with (fillfactor = 70);
create index journey_sessions_due on journey_sessions (kind, organization_id, due_at) where due_at is not null;
create index journey_sessions_running on journey_sessions (organization_id, due_at) where state = 'running';
alter table journey_sessions set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- What each answered message left behind that a session is graded by.
create table journey_turns (
  session_id text collate "C" not null references journey_sessions (id) on delete cascade,
  prompt_index integer not null,
  evidence jsonb not null,
  primary key (session_id, prompt_index)
);

-- What each wave shows about everything that could go wrong in it.
create table journey_observations (
  project_id text collate "C" not null references projects (id) on delete cascade,
  fingerprint text collate "C" not null,
  wave_id text collate "C" not null,
  -- When the wave was launched: the order of waves.
  wave_at timestamptz(3) not null,
  fired boolean not null,
  affected integer not null,
  total integer not null,
  primary key (project_id, fingerprint, wave_id)
);
create index journey_observations_order on journey_observations (project_id, fingerprint, wave_at desc, wave_id desc);

create table journey_findings (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
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
  constraint journey_findings_fingerprint unique (project_id, fingerprint)
);
create index journey_findings_project on journey_findings (project_id, updated_at desc, id desc);

create table wave_insights (
  project_id text collate "C" not null references projects (id) on delete cascade,
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
  primary key (project_id, wave_id)
);

-- Sessions of journeys belong to the project, not to a person.
alter table chat_sessions alter column user_id drop not null;
create index chat_sessions_swarm on chat_sessions (project_id, last_activity_at desc, id desc) where user_id is null;
`,
};
