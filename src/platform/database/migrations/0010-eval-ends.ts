export const evalEnds = {
  name: '0010-eval-ends',
  sql: `
-- Runs of a project in the order in which they ended, which is how they are exported.
create index eval_runs_completed on eval_runs (project_id, completed_at, id) where completed_at is not null;
`,
};
