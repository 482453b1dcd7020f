/**
 * Stores the coverage and target of a run, so that only comparable runs are compared, and whether its scores are
 * reliable.
 */
export const runCoverage = {
  name: '0032-run-coverage',
  sql: `
alter table eval_runs add column coverage text check (coverage in ('suite', 'cases', 'try'));
alter table eval_runs add column target jsonb;
alter table eval_runs add column score_integrity text check (score_integrity in ('valid', 'invalid'));
`,
};
