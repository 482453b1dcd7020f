/** Stores warnings about the significance of a verdict with the run, so that every list can show them. */
export const runWarnings = {
  name: '0033-run-warnings',
  sql: `
alter table eval_runs add column warnings jsonb;
`,
};
