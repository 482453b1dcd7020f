export const clientsAndEnvironments = {
  name: '0003-clients-and-environments',
  sql: `
-- Configurations are named by their content and never change.
create table client_configs (
  project_id text collate "C" not null references projects (id) on delete cascade,
  id text collate "C" not null,
  config jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (project_id, id)
);

create table clients (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  -- The name without regard to case, which a database may not know beyond ASCII.
  name_key text not null,
  config_id text collate "C" not null,
  version_number integer not null default 1,
  -- The scenario this client exists for, when it exists for nothing else.
  private_backing boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  foreign key (project_id, config_id) references client_configs (project_id, id)
);
create index clients_project on clients (project_id, id);
create index clients_name on clients (project_id, name_key);
create index clients_config on clients (project_id, config_id);

-- A snapshot: the ids stay when a server goes.
create table server_groups (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  description text,
  server_ids text[] collate "C" not null,
  created_at timestamptz(3) not null default now(),
  constraint server_groups_name unique (project_id, name)
);
create index server_groups_project on server_groups (project_id, id);

create table plugins (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  display_name text,
  description text,
  enabled boolean not null default true,
  active_version_id text collate "C",
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint plugins_name unique (project_id, name)
);
create index plugins_project on plugins (project_id, id);

create table plugin_versions (
  id text collate "C" primary key,
  plugin_id text collate "C" not null references plugins (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  declared_version text,
  bundle_hash text not null,
  manifest_hash text,
  status text not null check (status in ('staging', 'ready', 'invalid')),
  component_counts jsonb not null,
  servers jsonb not null,
  skills jsonb not null,
  created_at timestamptz(3) not null default now(),
  ready_at timestamptz(3),
  constraint plugin_versions_bundle unique (plugin_id, bundle_hash)
);
create index plugin_versions_project on plugin_versions (project_id, id);

create table skills (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  description text not null,
  sharing text not null check (sharing in ('user', 'project')),
  owner_id text collate "C" references users (id) on delete cascade,
  provenance text not null default 'authored',
  -- The text below the frontmatter, and the fields of it besides name and description.
  content text not null,
  frontmatter jsonb not null default '{}',
  aggregate_hash text not null,
  -- Set for a component of a plugin.
  plugin_version_id text collate "C" references plugin_versions (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index skills_project on skills (project_id, id);
create index skills_owner on skills (owner_id);
create index skills_plugin_version on skills (plugin_version_id);
create unique index skills_shared_name on skills (project_id, name)
  where sharing = 'project' and plugin_version_id is null;
create unique index skills_personal_name on skills (project_id, owner_id, name)
  where sharing = 'user' and plugin_version_id is null;

create table skill_files (
  skill_id text collate "C" not null references skills (id) on delete cascade,
  path text not null,
  content bytea not null,
  primary key (skill_id, path)
);

-- A server that a plugin brought; it is managed by the plugin.
alter table servers add column plugin_version_id text collate "C" references plugin_versions (id) on delete cascade;
create index servers_plugin_version on servers (plugin_version_id);

create table secrets (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text not null,
  description text,
  delivery text not null check (delivery in ('brokered', 'materialized')),
  broker_hosts text[],
  broker_header text,
  broker_template text,
  sharing text not null check (sharing in ('user', 'project')),
  owner_id text collate "C" references users (id) on delete cascade,
  sealed_id text collate "C" not null references sealed_values (id),
  last_delivered_at timestamptz(3),
  created_by text collate "C" not null,
  updated_by text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index secrets_project on secrets (project_id, id);
create index secrets_owner on secrets (owner_id);
create index secrets_sealed on secrets (sealed_id);
create unique index secrets_shared_name on secrets (project_id, name) where sharing = 'project';
create unique index secrets_personal_name on secrets (project_id, owner_id, name) where sharing = 'user';

-- What an environment names may go away later: that is found out when it is resolved, so there are no references.
create table environments (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  -- Null for one that was made on the fly.
  name text,
  description text,
  host_id text collate "C" not null,
  server_attachment_id text collate "C",
  model_id text,
  skill_ids text[],
  secret_ids text[],
  plugin_version_ids text[],
  sandbox_image_id text,
  -- Of all the above but name and description; equal ones on the fly are one row.
  composition text not null,
  revision integer not null default 1,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index environments_project on environments (project_id, id);
create index environments_host on environments (host_id) where archived_at is null;
create unique index environments_name on environments (project_id, name) where archived_at is null;
create unique index environments_adhoc on environments (project_id, composition) where name is null and archived_at is null;
`,
};
