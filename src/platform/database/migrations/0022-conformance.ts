export const conformance = {
  name: '0022-conformance',
  sql: `
-- Runs of conformance tests: those that run here, and those that were reported from elsewhere.
create table conformance_runs (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  -- Gone with the server; the target says what it was.
  server_id text collate "C" references servers (id) on delete set null,
  hosted boolean not null,
  source text not null,
  target jsonb not null,
  requested_suites text[] not null,
  protocol_version text,
  engine_version text,
  actor_label text,
  ci jsonb,
  external_run_id text,
  started_by text collate "C" not null,
  -- Of one that runs here.
  job_id text collate "C",
  status text not null default 'pending' check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  outcome text check (outcome in ('passed', 'failed', 'incomplete')),
  score double precision,
  passed integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  pending integer not null default 0,
  reason text,
  -- When it last gave a sign of life.
  heard_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  completed_at timestamptz(3)
);
create index conformance_runs_project on conformance_runs (project_id, id);
create index conformance_runs_server on conformance_runs (server_id, id);
create unique index conformance_runs_key on conformance_runs (project_id, external_run_id)
  where external_run_id is not null;
create index conformance_runs_heard on conformance_runs (heard_at)
  where status in ('pending', 'running') and not hosted;
create index conformance_runs_hosted on conformance_runs (organization_id, created_at) where hosted;

-- What each suite of a run found: in figures, and whole as text or as a blob.
create table conformance_reports (
  run_id text collate "C" not null references conformance_runs (id) on delete cascade,
  suite_kind text not null check (suite_kind in ('protocol', 'apps', 'tasks', 'oauth')),
  content_hash text not null,
  outcome text not null check (outcome in ('passed', 'failed', 'incomplete')),
  incomplete_reason text,
  score double precision,
  profile_id text,
  passed integer not null,
  failed integer not null,
  skipped integer not null,
  pending integer not null,
  total_cases integer not null,
  duration_ms integer,
  body text,
  blob_id text collate "C" references blobs (id),
  created_at timestamptz(3) not null default now(),
  primary key (run_id, suite_kind)
);
create index conformance_reports_blob on conformance_reports (blob_id) where blob_id is not null;
`,
};
