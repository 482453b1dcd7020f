/** What keeps the verdict of a run from meaning much is kept with the run, so that every list can show it. */
export const runWarnings = {
  name: '0033-run-warnings',
  sql: `
alter table eval_runs add column warnings jsonb;
`,
};
