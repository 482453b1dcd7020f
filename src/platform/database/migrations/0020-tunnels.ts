export const tunnels = {
  name: '0020-tunnels',
  sql: `
-- A way to a server on another machine, which a client there holds open.
create table tunnels (
  server_id text collate "C" primary key references servers (id) on delete cascade,
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  slug text collate "C" not null,
  -- What the saved server leads to. One that was pointed elsewhere since does not use the tunnel.
  server_url text not null,
  -- Of the address, and of the client. Whoever knows neither gets nowhere.
  secret_hash bytea not null,
  secret_version integer not null default 1,
  connect_token_hash bytea not null,
  connect_token_expires_at timestamptz(3) not null,
  opened_by text collate "C" not null,
  closed_at timestamptz(3),
  -- Grows with each client and each new token. What belongs to an older one is not used.
  epoch bigint not null default 1,
  -- The process that the client is connected to, and where the others reach it; until when, unless it says so again.
  holder_id text collate "C",
  holder_url text,
  protocol text,
  held_until timestamptz(3),
  connected_at timestamptz(3),
  disconnected_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint tunnels_slug unique (slug),
  constraint tunnels_token unique (connect_token_hash)
);
create index tunnels_project on tunnels (project_id, server_id);
create index tunnels_organization on tunnels (organization_id);

-- Whoever holds it open finds out when it is somebody else's.
create function announce_tunnel() returns trigger language plpgsql as $$
begin
  perform pg_notify('drydock_tunnels', old.slug);
  return null;
end $$;
create trigger tunnels_changed after delete or update of epoch, closed_at on tunnels
  for each row execute function announce_tunnel();
`,
};
