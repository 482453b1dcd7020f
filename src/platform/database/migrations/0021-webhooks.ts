export const webhooks = {
  name: '0021-webhooks',
  sql: `
create table webhooks (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  name_key text collate "C" not null,
  -- The URL and the secrets, of which one may be about to end.
  sealed_id text collate "C" not null references sealed_values (id),
  shown_url text not null,
  events text[] not null,
  enabled boolean not null,
  disabled_reason text,
  -- Attempts that failed one after the other, since when, and until when nothing is sent because of them.
  failures integer not null default 0,
  failing_since timestamptz(3),
  paused_until timestamptz(3),
  last_delivered_at timestamptz(3),
  created_by text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint webhooks_name unique (project_id, name_key)
);
create index webhooks_project on webhooks (project_id, id);
create index webhooks_organization on webhooks (organization_id);
create index webhooks_sealed on webhooks (sealed_id);

-- What is to be sent, written in the transaction that makes it true.
create table webhook_deliveries (
  id text collate "C" primary key,
  -- Of what has the same subject, the earlier is sent first.
  place bigint generated always as identity,
  webhook_id text collate "C" not null references webhooks (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  event_id text collate "C" not null,
  type text not null,
  subject text collate "C" not null,
  data jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  last_status integer,
  last_error text,
  log jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3)
);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_state on webhook_deliveries (webhook_id, state, id);
create index webhook_deliveries_project on webhook_deliveries (project_id);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, attempts, place) where state = 'pending';
create index webhook_deliveries_subject on webhook_deliveries (webhook_id, subject, place) where state = 'pending';
create index webhook_deliveries_age on webhook_deliveries (created_at);

-- Looking at a server every few minutes.
create table server_checks (
  server_id text collate "C" primary key references servers (id) on delete cascade,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  every_minutes integer not null,
  enabled boolean not null,
  due_at timestamptz(3) not null,
  health text not null default 'unknown' check (health in ('unknown', 'healthy', 'unhealthy')),
  health_since timestamptz(3),
  failures integer not null default 0,
  checked_at timestamptz(3),
  -- Why checks are not made though they are wanted.
  paused_reason text,
  set_by text collate "C" not null,
  updated_at timestamptz(3) not null default now()
);
create index server_checks_project on server_checks (project_id, server_id);
create index server_checks_organization on server_checks (organization_id);
create index server_checks_due on server_checks (due_at) where enabled;

create table server_check_results (
  id text collate "C" primary key,
  server_id text collate "C" not null references server_checks (server_id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  checked_at timestamptz(3) not null default now(),
  ok boolean not null,
  status text not null,
  duration_ms integer not null,
  failed_check text,
  detail text
);
create index server_check_results_server on server_check_results (server_id, id);
create index server_check_results_time on server_check_results (server_id, checked_at);
create index server_check_results_project on server_check_results (project_id);
create index server_check_results_age on server_check_results (checked_at);
`,
};
