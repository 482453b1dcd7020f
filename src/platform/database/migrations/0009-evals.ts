export const evals = {
  name: '0009-evals',
  sql: `
create table eval_suites (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  description text,
  -- The id a suite file gives itself; whoever owns the suite by a file writes to it with this id.
  declared_id text collate "C",
  managed_by text not null default 'app' check (managed_by in ('app', 'ci')),
  server_ids text[] collate "C" not null,
  -- Model, provider, systemPrompt, temperature.
  execution jsonb,
  hosts jsonb not null default '[]',
  environment_ids text[] collate "C" not null default '{}',
  settings jsonb not null,
  revision integer not null default 1,
  -- What the list shows, kept here so that it does not depend on how many runs there were.
  run_count integer not null default 0,
  passed_total integer not null default 0,
  failed_total integer not null default 0,
  schedule_enabled boolean not null default false,
  schedule_minutes integer,
  schedule_environment_id text collate "C",
  schedule_state text check (schedule_state in ('active', 'paused_quota', 'paused_auth', 'paused_failures')),
  -- The user it runs as. Without a reference: whoever is gone pauses it.
  schedule_by text collate "C",
  schedule_due_at timestamptz(3),
  schedule_failures integer not null default 0,
  created_by text collate "C" not null,
  -- From then on nobody sees the suite; what it holds is deleted by a job, and the row last.
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index eval_suites_project on eval_suites (project_id, id);
create index eval_suites_live on eval_suites (project_id, id) where deleted_at is null;
create unique index eval_suites_declared on eval_suites (project_id, declared_id)
  where declared_id is not null and deleted_at is null;
create index eval_suites_due on eval_suites (schedule_due_at)
  where schedule_due_at is not null and deleted_at is null;
create index eval_suites_deleted on eval_suites (id) where deleted_at is not null;

create table eval_suite_revisions (
  id text collate "C" primary key,
  suite_id text collate "C" not null references eval_suites (id) on delete cascade,
  number integer not null,
  source text not null,
  created_by text collate "C",
  note text,
  changed_fields text[] not null,
  group_id text collate "C",
  created_at timestamptz(3) not null default now(),
  constraint eval_suite_revisions_number unique (suite_id, number)
);

create table eval_cases (
  id text collate "C" primary key,
  suite_id text collate "C" not null references eval_suites (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  declared_id text collate "C" not null,
  -- Cases are listed in the order they were added; several added at once keep theirs.
  position integer not null,
  title text not null,
  definition jsonb not null,
  -- Of what it does, whatever it is called.
  content_hash text not null,
  idempotency_key text collate "C",
  request_hash text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint eval_cases_declared unique (suite_id, declared_id),
  constraint eval_cases_position unique (suite_id, position)
);
create unique index eval_cases_key on eval_cases (suite_id, idempotency_key) where idempotency_key is not null;
create index eval_cases_content on eval_cases (suite_id, content_hash);
create index eval_cases_project on eval_cases (project_id, id);

create table eval_runs (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  suite_id text collate "C" not null references eval_suites (id) on delete cascade,
  run_number integer not null,
  status text not null default 'pending'
    check (status in ('pending', 'running', 'grading', 'completed', 'failed', 'cancelled', 'timed_out')),
  result text check (result in ('passed', 'failed', 'inconclusive')),
  stop_reason text,
  error text,
  source text not null,
  notes text,
  started_by text collate "C" not null,
  key_id text collate "C",
  environment jsonb,
  client jsonb,
  launcher jsonb,
  ci jsonb,
  policy integer not null,
  run_group_id text collate "C",
  model_id text,
  model_source text,
  suite_revision integer not null,
  -- Keys that the caller brought, until the run is over.
  sealed_id text collate "C",
  idempotency_key text collate "C",
  request_hash text,
  trials integer not null,
  finished integer not null default 0,
  passed integer not null default 0,
  failed integer not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  model_calls integer not null default 0,
  -- Null when a call of unknown cost is among them. In millionths of a dollar.
  cost_micros bigint default 0,
  billed_micros bigint not null default 0,
  -- How many events there are; the next one has this number.
  events integer not null default 0,
  deadline_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  completed_at timestamptz(3)
) with (fillfactor = 70);
create index eval_runs_suite on eval_runs (suite_id, id desc);
create index eval_runs_project on eval_runs (project_id, id);
-- In the order in which they ended, which is how they are exported.
create index eval_runs_completed on eval_runs (project_id, completed_at, id) where completed_at is not null;
create index eval_runs_open on eval_runs (organization_id, id)
  where status in ('pending', 'running', 'grading');
create index eval_runs_deadline on eval_runs (deadline_at) where status in ('pending', 'running', 'grading');
create unique index eval_runs_key on eval_runs (project_id, idempotency_key) where idempotency_key is not null;

-- What the run was made of; never changed.
create table eval_run_snapshots (
  run_id text collate "C" primary key references eval_runs (id) on delete cascade,
  snapshot jsonb not null
);

-- What was made of the trials once they were over.
create table eval_run_outcomes (
  run_id text collate "C" primary key references eval_runs (id) on delete cascade,
  suite_id text collate "C" not null,
  run_group_id text collate "C",
  decision jsonb,
  statistics jsonb,
  stages jsonb,
  completed_at timestamptz(3) not null
);
create index eval_run_outcomes_suite on eval_run_outcomes (suite_id, completed_at desc, run_id desc);

-- Trials are worked on under a lease. Narrow, because a lease is written often; what came of one is in eval_results.
create table eval_trials (
  id text collate "C" primary key,
  kind text not null default 'trial',
  organization_id text collate "C" not null,
  project_id text collate "C" not null,
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  -- From 0, in the order of the list.
  position integer not null,
  case_id text collate "C" not null,
  -- Which of the case's models.
  variant integer not null,
  number integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  due_at timestamptz(3) default now(),
  attempts integer not null default 0,
  lease_token text,
  last_error text,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  constraint eval_trials_position unique (run_id, position)
) with (fillfactor = 80);
create index eval_trials_due on eval_trials (kind, organization_id, due_at) where due_at is not null;
create index eval_trials_running on eval_trials (organization_id, due_at) where state = 'running';
alter table eval_trials set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- One for each trial that ended, written once.
create table eval_results (
  trial_id text collate "C" primary key references eval_trials (id) on delete cascade,
  run_id text collate "C" not null,
  position integer not null,
  case_id text collate "C" not null,
  variant integer not null,
  number integer not null,
  status text not null,
  result text check (result in ('passed', 'failed')),
  evaluator_error boolean not null default false,
  started_at timestamptz(3),
  finished_at timestamptz(3) not null,
  duration_ms integer,
  total_tokens bigint,
  -- What the list of iterations shows.
  detail jsonb not null,
  -- What the stage analytics are made of.
  stages jsonb not null,
  constraint eval_results_position unique (run_id, position)
);

-- Failures are shown without walking past what passed.
create index eval_results_failures on eval_results (run_id, position) where result is distinct from 'passed';

-- What ended trials add to their run, until it is added. All trials of a run would wait for its row otherwise, each for
-- the commit of the one before it.
create table eval_tally (
  trial_id text collate "C" primary key references eval_trials (id) on delete cascade,
  run_id text collate "C" not null,
  passed boolean not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  model_calls integer not null,
  cost_micros bigint,
  billed_micros bigint not null,
  events jsonb not null,
  at timestamptz(3) not null default now()
);
create index eval_tally_run on eval_tally (run_id, at);
create index eval_tally_at on eval_tally (at);

-- Traces in a table of their own: they are large and seldom read. Either the text itself or a blob.
create table eval_traces (
  trial_id text collate "C" primary key references eval_trials (id) on delete cascade,
  run_id text collate "C" not null,
  body text,
  blob_id text collate "C"
);
alter table eval_traces alter column body set storage external;

create table eval_run_events (
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  number integer not null,
  data jsonb not null,
  primary key (run_id, number)
);

-- A row before each call of a model that somebody may be billed for; closed when it is known what it cost. One that
-- was never closed may have been billed.
create table model_calls (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C",
  run_id text collate "C",
  trial_id text collate "C",
  model text not null,
  billed text not null check (billed in ('operator', 'own-key', 'free')),
  outcome text,
  input_tokens bigint,
  output_tokens bigint,
  cost_micros bigint,
  opened_at timestamptz(3) not null default now(),
  closed_at timestamptz(3)
);
create index model_calls_run on model_calls (run_id, id) where run_id is not null;

-- Until when nobody calls a model, because its provider asked for it.
create unlogged table model_pauses (
  pool text primary key,
  until timestamptz(3) not null
);

-- How many at once, over all processes: each holds what it was granted until it expires.
create unlogged table slot_grants (
  pool text not null,
  holder text not null,
  wanted integer not null,
  granted integer not null,
  -- When it last had one.
  served_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz(3) not null,
  primary key (pool, holder)
);

create table spend_budgets (
  organization_id text collate "C" primary key references organizations (id) on delete cascade,
  cap_credits bigint not null,
  alert_percents integer[] not null,
  updated_at timestamptz(3) not null default now()
);
-- Fractions of credits are kept.
alter table ledger_entries alter column amount type double precision;
alter table ledger_entries alter column total type double precision;
`,
};
