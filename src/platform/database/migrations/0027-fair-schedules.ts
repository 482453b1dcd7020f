/** What is due at a time of its own is found organization by organization, and project by project. */
export const fairSchedules = {
  name: '0027-fair-schedules',
  sql: `
create index server_checks_turns on server_checks (organization_id, due_at) where enabled;
create index eval_suites_turns on eval_suites (project_id, schedule_due_at)
  where schedule_due_at is not null and deleted_at is null;
`,
};
