export const judging = {
  name: '0013-judging',
  sql: `
-- What a judge made of a run; the last request counts.
create table eval_run_judgements (
  run_id text collate "C" primary key references eval_runs (id) on delete cascade,
  -- Counts the requests. What an earlier one still finds out is not written.
  request integer not null,
  status text not null check (status in ('pending', 'completed', 'failed')),
  -- The run waits for it.
  gating boolean not null,
  model text not null,
  threshold double precision not null,
  -- Trials that it is to measure, and those that are left out.
  total integer not null,
  skipped integer not null,
  error_code text,
  requested_by text collate "C" not null,
  job_id text collate "C",
  deadline_at timestamptz(3) not null,
  generated_at timestamptz(3)
);
create index eval_run_judgements_pending on eval_run_judgements (run_id) where status = 'pending';
create table eval_judged_trials (
  trial_id text collate "C" primary key,
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  position integer not null,
  case_key text not null,
  goal jsonb not null,
  groundedness jsonb not null,
  billed_micros bigint not null
);
create index eval_judged_trials_run on eval_judged_trials (run_id, position);

create table eval_run_insights (
  run_id text collate "C" primary key references eval_runs (id) on delete cascade,
  request integer not null,
  status text not null check (status in ('pending', 'completed', 'failed')),
  reason_code text,
  error jsonb,
  -- Summary, coverage, findings, run health and truncation.
  content jsonb,
  requested_by text collate "C" not null,
  generated_at timestamptz(3),
  updated_at timestamptz(3) not null default now()
);

-- Drafts that are tried on what was recorded, and the pages that were answered.
create table eval_backtests (
  id text collate "C" primary key,
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  kind text not null check (kind in ('judge', 'checks')),
  draft_hash text not null,
  source_hash text not null,
  created_at timestamptz(3) not null default now()
);
create index eval_backtests_run on eval_backtests (run_id, kind, created_at desc);
create index eval_backtests_created on eval_backtests (created_at);
create table eval_backtest_pages (
  backtest_id text collate "C" not null references eval_backtests (id) on delete cascade,
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  cursor integer not null,
  -- Where the one after it begins; null when it was the last.
  next integer,
  body jsonb not null,
  primary key (backtest_id, cursor)
);
create index eval_backtest_pages_run on eval_backtest_pages (run_id);
`,
};
