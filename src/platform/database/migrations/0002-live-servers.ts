export const liveServers = {
  name: '0002-live-servers',
  sql: `
-- One grant per server. Importing tokens again makes a new one; version counts its refreshes.
create table oauth_grants (
  id text collate "C" primary key,
  server_id text collate "C" not null unique references servers (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  sealed_id text collate "C" not null references sealed_values (id),
  server_url text not null,
  resource_url text,
  authorization_server_url text,
  client_id text,
  scope text,
  expires_at timestamptz(3),
  version integer not null default 1,
  -- Whoever refreshes holds the grant until then, so that two processes do not spend one refresh token twice.
  refreshing_until timestamptz(3),
  dead_reason text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index oauth_grants_project on oauth_grants (project_id);
create index oauth_grants_sealed on oauth_grants (sealed_id);

create table server_connections (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  url text not null,
  request jsonb not null,
  status text not null check (status in ('discovering', 'awaiting_project', 'awaiting_authorization', 'authorizing',
    'validating', 'ready', 'failed', 'expired', 'cancelled')),
  project_id text collate "C" references projects (id) on delete set null,
  server_id text collate "C" references servers (id) on delete set null,
  error jsonb,
  version integer not null default 1,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index server_connections_user on server_connections (organization_id, user_id, id);
create index server_connections_project on server_connections (project_id);
create index server_connections_server on server_connections (server_id);
create index server_connections_age on server_connections (expires_at);
`,
};
