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
alter table eval_results add column external_id text collate "C";
alter table eval_results add column content_hash text;
create unique index eval_results_external on eval_results (run_id, external_id) where external_id is not null;

-- Looking up the run or the trial of each row was more than half of what writing it cost. Rows are written only by a
-- statement that holds their run or their trial, and are removed after it.
alter table eval_trials drop constraint eval_trials_run_id_fkey;
alter table eval_results drop constraint eval_results_trial_id_fkey;
alter table eval_traces drop constraint eval_traces_trial_id_fkey;
alter table eval_tally drop constraint eval_tally_trial_id_fkey;
alter table eval_run_events drop constraint eval_run_events_run_id_fkey;

-- What was measured of whole cases, beside the verdict.
create table eval_case_evaluations (
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  case_key text collate "C" not null,
  evaluation jsonb not null,
  content_hash text not null,
  primary key (run_id, case_key)
);

-- Artifacts that nobody refers to are removed some time after this; null for what is referred to, or is no artifact.
alter table blobs add column unused_since timestamptz(3);
create index blobs_unused on blobs (unused_since) where unused_since is not null;
create table eval_artifact_refs (
  run_id text collate "C" not null references eval_runs (id) on delete cascade,
  blob_id text collate "C" not null references blobs (id) on delete cascade,
  primary key (run_id, blob_id)
);
create index eval_artifact_refs_blob on eval_artifact_refs (blob_id);
create function note_unused_artifact() returns trigger language plpgsql as $$
begin
  update blobs b set unused_since = now() where b.id = old.blob_id
    and not exists (select from eval_artifact_refs r where r.blob_id = b.id);
  return old;
end $$;
create trigger eval_artifact_ref_deleted after delete on eval_artifact_refs
  for each row execute function note_unused_artifact();

-- Addresses that let in whoever has them, for a short time. Only a hash of each is kept.
create table artifact_links (
  token_hash text collate "C" primary key,
  -- Which of the two it is for.
  purpose text not null check (purpose in ('read', 'upload')),
  project_id text collate "C" not null references projects (id) on delete cascade,
  organization_id text collate "C" not null,
  user_id text collate "C" not null,
  -- What may be read.
  blob_id text collate "C",
  expires_at timestamptz(3) not null
);
create index artifact_links_project on artifact_links (project_id);
create index artifact_links_expires on artifact_links (expires_at);

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
