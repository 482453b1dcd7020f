export const readiness = {
  name: '0023-readiness',
  sql: `
-- One look at whether a server would be taken into a public directory.
create table readiness_runs (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  -- No reference: what was found about a server outlives it.
  server_id text collate "C" not null,
  server_url text not null,
  kind text not null check (kind in ('claude', 'openai')),
  submission_mode text check (submission_mode in ('mcp-only', 'mcp-imported-skills')),
  status text not null default 'pending'
    check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  overall_status text check (overall_status in ('ready', 'not-ready', 'incomplete')),
  lanes jsonb not null default '[]',
  stages jsonb not null default '[]',
  auth_mode text,
  capabilities text[] not null default '{}',
  attempt_count integer not null default 0,
  terminal_reason text,
  error_message text,
  policy_snapshot_date text not null,
  engine_version text not null,
  sdk_version text not null,
  include_llm_observations boolean not null,
  llm_observations jsonb not null,
  -- What the request allowed and declared.
  options jsonb not null,
  started_by text collate "C" not null,
  job_id text collate "C",
  idempotency_key text,
  request_hash text,
  -- The report, in one of the two.
  report_body text,
  report_blob_id text collate "C" references blobs (id) on delete set null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index readiness_runs_project on readiness_runs (project_id, id desc);
create index readiness_runs_server on readiness_runs (project_id, server_id, id desc);
create index readiness_runs_organization on readiness_runs (organization_id, created_at);
create index readiness_runs_open on readiness_runs (organization_id) where status in ('pending', 'running');
create unique index readiness_runs_key on readiness_runs (project_id, server_id, kind, idempotency_key)
  where idempotency_key is not null;
create index readiness_runs_report on readiness_runs (report_blob_id) where report_blob_id is not null;
`,
};
