export const foundation = {
  name: '0001-foundation',
  sql: `
create table plans (
  name text primary key,
  limits jsonb not null,
  features jsonb not null,
  updated_at timestamptz(3) not null default now()
);
insert into plans (name, limits, features) values ('self-hosted', '{}', '{}');

create table users (
  id text collate "C" primary key,
  email text not null,
  name text not null,
  image_url text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index users_email on users (lower(email));

create table organizations (
  id text collate "C" primary key,
  name text not null,
  plan text not null default 'self-hosted' references plans (name),
  logo_url text,
  created_by text collate "C" references users (id) on delete set null,
  created_at timestamptz(3) not null default now()
);

create table organization_features (
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  feature text not null,
  primary key (organization_id, feature)
);

create table organization_members (
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  primary key (organization_id, user_id)
);
create index organization_members_user on organization_members (user_id);

-- A key whose organization or owner is gone stays as a row, so that it can say why it stopped working.
create table api_keys (
  id text collate "C" primary key,
  hash bytea not null unique,
  hint text not null,
  name text not null,
  user_id text collate "C" references users (id) on delete set null,
  organization_id text collate "C" references organizations (id) on delete set null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_keys_organization on api_keys (organization_id, id);
create index api_keys_user on api_keys (user_id);

create table projects (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  name text not null,
  description text,
  icon text,
  visibility text not null check (visibility in ('public', 'private')),
  is_default boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index projects_organization on projects (organization_id, id);
create unique index projects_default on projects (organization_id) where is_default;

create table project_members (
  project_id text collate "C" not null references projects (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  role text not null check (role in ('admin', 'member')),
  primary key (project_id, user_id)
);
create index project_members_user on project_members (user_id);

-- Which master key sealed what. A value cannot be written under a key that was rotated away.
create table vault_keys (
  id text collate "C" primary key,
  created_at timestamptz(3) not null default now()
);

create table sealed_values (
  id text collate "C" primary key,
  key_id text collate "C" not null references vault_keys (id),
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" references projects (id) on delete cascade,
  ciphertext bytea not null
);
create index sealed_values_organization on sealed_values (organization_id);
create index sealed_values_project on sealed_values (project_id);

create table servers (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  enabled boolean not null,
  transport_type text not null check (transport_type in ('http', 'stdio')),
  url text,
  settings jsonb not null,
  sealed_id text collate "C" references sealed_values (id),
  revision integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint servers_name unique (project_id, name)
);
create index servers_project on servers (project_id, id);
-- Deleting a sealed value looks for whoever refers to it.
create index servers_sealed on servers (sealed_id);

create table blobs (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" references projects (id) on delete cascade,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  created_at timestamptz(3) not null default now()
);
create index blobs_organization on blobs (organization_id);
create index blobs_project on blobs (project_id);

-- However a blob row goes, by itself or with its project, its file is remembered for removal.
create table blob_garbage (
  blob_id text collate "C" primary key,
  since timestamptz(3) not null default now()
);
create function remember_blob_garbage() returns trigger language plpgsql as $$
begin
  insert into blob_garbage (blob_id) values (old.id) on conflict do nothing;
  return old;
end $$;
create trigger blob_deleted after delete on blobs for each row execute function remember_blob_garbage();

create table audit_events (
  id text collate "C" primary key,
  organization_id text collate "C",
  project_id text collate "C",
  actor text not null,
  action text not null,
  target text not null,
  request_id text,
  at timestamptz(3) not null default now()
);
create index audit_events_organization on audit_events (organization_id, id);

-- Append-only. Each entry carries the running total of its budget and period.
create table ledger_entries (
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  budget text not null,
  period text not null,
  position integer not null,
  amount integer not null,
  total integer not null,
  reason text not null,
  actor text not null,
  at timestamptz(3) not null default now(),
  primary key (organization_id, budget, period, position)
);

create table idempotency_keys (
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  operation text not null,
  key text not null,
  request_hash text not null,
  response jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, user_id, operation, key)
);
create index idempotency_keys_user on idempotency_keys (user_id);
create index idempotency_keys_age on idempotency_keys (created_at);

-- due_at: when a waiting job may start, or when the lease of a running one ends; null once it is over.
create table jobs (
  id text collate "C" primary key,
  kind text not null,
  payload jsonb not null,
  unique_key text,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  due_at timestamptz(3) default now(),
  attempts integer not null default 0,
  lease_token text,
  last_error text,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index jobs_due on jobs (due_at) where due_at is not null;
create unique index jobs_unique on jobs (kind, unique_key) where due_at is not null;
create index jobs_finished on jobs (finished_at) where finished_at is not null;

-- What replicas tell each other. Worth nothing after a crash, so not logged.
create unlogged table replicas (
  id text primary key,
  seen_at timestamptz(3) not null default now()
);
create unlogged table rate_buckets (
  key_id text primary key,
  tokens double precision not null,
  at timestamptz(3) not null
);
`,
};
