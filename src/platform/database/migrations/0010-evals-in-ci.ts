export const evalsInCi = {
  name: '0010-evals-in-ci',
  sql: `
-- What whoever reports a run says of it.
alter table eval_runs add column name text;
alter table eval_runs add column tags text[] not null default '{}';
alter table eval_runs add column metadata jsonb;
-- Whether cases that were imported from another tool run as they were meant there; null when none was.
alter table eval_runs add column import_eligibility jsonb;

-- What each trial cost; null when that is not known.
alter table eval_results add column cost_micros bigint;

-- Trials that ran elsewhere, by the name they have there, so that they are recognized when they come again.
create table eval_external_trials (
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  external_id text collate "C" not null,
  trial_id text collate "C" not null,
  content_hash text not null,
  primary key (run_id, external_id)
);

-- Failed runs that count as good enough for a while.
create table eval_gate_waivers (
  id text collate "C" primary key,
  suite_id text collate "C" not null,
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  reason text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  created_by text collate "C" not null,
  revoked_at timestamptz,
  revoked_by text collate "C",
  minimum_pass_rate float8
);
create index eval_gate_waivers_run on eval_gate_waivers (run_id, created_at);
`,
};
