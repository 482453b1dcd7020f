export const people = {
  name: '0014-people',
  sql: `
-- Who runs the installation: the first owner, and whom the command line names.
alter table users add column operator boolean not null default false;
update users set operator = true where id = (
  select m.user_id from organization_members m where m.role = 'owner' order by m.organization_id, m.user_id limit 1);

create table passwords (
  user_id text collate "C" primary key references users (id) on delete cascade,
  -- The function with its parameters, the salt and what came out.
  hash text not null,
  changed_at timestamptz(3) not null default now()
);

-- Of people in the console. The token is in their cookie; here is its hash.
create table console_sessions (
  id text collate "C" primary key,
  hash bytea not null unique,
  user_id text collate "C" not null references users (id) on delete cascade,
  -- The one it used last.
  organization_id text collate "C" references organizations (id) on delete set null,
  way text not null check (way in ('password', 'link', 'oidc')),
  address text not null,
  user_agent text,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now()
);
create index console_sessions_user on console_sessions (user_id, id);
create index console_sessions_organization on console_sessions (organization_id);
create index console_sessions_seen on console_sessions (last_seen_at);

-- Links that work once. An invitation is for an address, which may have no account yet; the others are for an account.
create table console_links (
  id text collate "C" primary key,
  hash bytea not null unique,
  kind text not null check (kind in ('sign-in', 'invitation', 'reset')),
  user_id text collate "C" references users (id) on delete cascade,
  email text,
  organization_id text collate "C" references organizations (id) on delete cascade,
  role text check (role in ('owner', 'admin', 'member')),
  -- Null for the command line.
  made_by text collate "C" references users (id) on delete set null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  check (case when kind = 'invitation'
    then user_id is null and email is not null and organization_id is not null and role is not null
    else user_id is not null and email is null and role is null end)
);
create index console_links_user on console_links (user_id);
create index console_links_made_by on console_links (made_by);
create index console_links_expiry on console_links (expires_at);
create index console_links_organization on console_links (organization_id, id);
-- An address has one open invitation to an organization.
create unique index console_links_invitation on console_links (organization_id, lower(email)) where used_at is null;

-- Accounts elsewhere that people sign in with.
create table identities (
  issuer text not null,
  subject text not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (issuer, subject)
);
create index identities_user on identities (user_id);

-- Attempts that may have failed, by what they have in common. Shared by replicas, and worth nothing after a crash.
create unlogged table brakes (
  subject text primary key,
  attempts integer not null,
  last_at timestamptz(3) not null,
  until timestamptz(3) not null
);
create index brakes_age on brakes (last_at);
`,
};
