export const registry = {
  name: '0024-registry',
  sql: `
-- Where the directory of servers comes from, as the settings name it, and how far each was read.
create table registry_sources (
  source text collate "C" primary key,
  location text not null,
  -- Of the first page, or of the whole file, as it was last read to the end.
  etag text,
  -- What changed before this was read. Moves when all pages have come.
  updated_since timestamptz(3),
  -- Counts the readings from the beginning to the end; entries that the last one did not meet are gone.
  pass bigint not null default 0,
  full_at timestamptz(3),
  -- A reading that is not over: where it goes on, since when it runs, and whether it is one of everything.
  cursor text,
  began_at timestamptz(3),
  reading_full boolean not null default false,
  attempted_at timestamptz(3),
  last_synced_at timestamptz(3),
  upstream_fetched_at timestamptz(3),
  live_count bigint not null default 0,
  -- Entries of the last reading that nothing could be made of.
  skipped bigint not null default 0,
  last_error text
);

create table registry_entries (
  -- The first 32 digits of the hash of source and name.
  id text collate "C" primary key,
  source text collate "C" not null references registry_sources (source) on delete cascade,
  server_name text collate "C" not null,
  display_name text not null,
  description text not null,
  row_type text not null,
  verified_tier text not null,
  auth_posture text not null,
  -- Null when it cannot be installed, for which there is a reason.
  endpoint_kind text,
  unavailable_reason text,
  remote_url text,
  remote_url_options jsonb not null,
  -- With the names of variables in braces.
  remote_url_template text,
  remote_url_hint text,
  command jsonb,
  transport text not null,
  status text not null,
  content_hash text not null,
  raw jsonb not null,
  search tsvector not null,
  pass bigint not null,
  updated_at timestamptz(3) not null default now()
);
create unique index registry_entries_name on registry_entries (server_name, id);
create index registry_entries_source on registry_entries (source, pass);
create index registry_entries_search on registry_entries using gin (search);

-- Servers that administrators of an organization have chosen for its projects.
create table registry_cards (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  name text not null,
  name_key text collate "C" not null,
  display_name text,
  description text,
  category text,
  tags jsonb not null,
  publisher text,
  status text not null default 'active',
  transport jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint registry_cards_name unique (organization_id, name_key)
);
create index registry_cards_organization on registry_cards (organization_id, id);

-- Which saved server came from where. It goes with the server.
create table registry_connections (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  server_id text collate "C" not null references servers (id) on delete cascade,
  kind text not null,
  -- A card or an entry, which may be gone by now.
  registry_server_id text collate "C",
  catalog_server_id text collate "C",
  endpoint_url text,
  -- The address or the command that was saved: a server that has another one was edited since.
  place text not null,
  endpoint_kind text not null,
  connected_at timestamptz(3) not null default now(),
  constraint registry_connections_one check ((registry_server_id is null) <> (catalog_server_id is null)),
  constraint registry_connections_card unique (project_id, registry_server_id),
  constraint registry_connections_entry unique (project_id, catalog_server_id)
);
create index registry_connections_project on registry_connections (project_id, id);
create index registry_connections_server on registry_connections (server_id);
`,
};
