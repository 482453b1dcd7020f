export const contractBaselines = {
  name: '0012-contract-baselines',
  sql: `
-- What a server is held against when its contract is checked: an export, as text, because jsonb knows neither NUL nor
-- halves of surrogate pairs, which servers may send.
create table contract_baselines (
  server_id text collate "C" primary key references servers (id) on delete cascade,
  project_id text collate "C" not null references projects (id) on delete cascade,
  hash text not null,
  export text not null,
  saved_by text collate "C" references users (id) on delete set null,
  saved_at timestamptz not null default now()
);
create index contract_baselines_project on contract_baselines (project_id);
`,
};
