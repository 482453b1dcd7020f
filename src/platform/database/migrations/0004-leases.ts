export const leases = {
  name: '0004-leases',
  sql: `
-- A job may act on behalf of an account. Empty is the service itself, which takes its turn like an organization.
alter table jobs
  add column organization_id text collate "C" not null default '',
  -- Without a reference: the job outlives the user, and its handler finds out.
  add column user_id text collate "C";
alter table jobs drop constraint jobs_state_check;
alter table jobs add constraint jobs_state_check
  check (state in ('waiting', 'running', 'done', 'failed', 'cancelled'));

-- A claim steps from organization to organization here, and takes the oldest of each.
drop index jobs_due;
create index jobs_due on jobs (kind, organization_id, due_at) where due_at is not null;
-- How many slots each organization holds now.
create index jobs_running on jobs (organization_id, due_at) where state = 'running';
-- Most rows change their indexes four times in a life, so the dead ones are cleared early.
alter table jobs set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- From then on nobody sees the project; its content is deleted by a job, and the row last.
alter table projects add column deleted_at timestamptz(3);
create index projects_deleted on projects (id) where deleted_at is not null;
-- A large deletion leaves many files; they are removed in the order they were left.
create index blob_garbage_since on blob_garbage (since);
`,
};
