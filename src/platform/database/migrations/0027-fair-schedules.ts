/** Indexes for schedules that are served round-robin by organization and project. */
export const fairSchedules = {
  name: '0027-fair-schedules',
  sql: `
create index server_checks_turns on server_checks (organization_id, due_at) where enabled;
create index eval_suites_turns on eval_suites (project_id, schedule_due_at)
  where schedule_due_at is not null and deleted_at is null;
`,
};
