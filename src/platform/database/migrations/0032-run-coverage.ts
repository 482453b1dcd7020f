/** What a run covers and where it took place, so that like is compared with like; whether its scores can be believed. */
export const runCoverage = {
  name: '0032-run-coverage',
  sql: `
alter table eval_runs add column coverage text check (coverage in ('suite', 'cases', 'try'));
alter table eval_runs add column target jsonb;
alter table eval_runs add column score_integrity text check (score_integrity in ('valid', 'invalid'));
`,
};
