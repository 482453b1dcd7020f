export const evalsInCi = {
  name: '0010-evals-in-ci',
  sql: `
-- What whoever reports a run says of it.
alter table eval_runs add column name text;
alter table eval_runs add column tags text[] not null default '{}';
alter table eval_runs add column metadata jsonb;

-- Trials that ran elsewhere, by the name they have there, so that they are recognized when they come again.
create table eval_external_trials (
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  external_id text collate "C" not null,
  trial_id text collate "C" not null,
  content_hash text not null,
  primary key (run_id, external_id)
);
`,
};
