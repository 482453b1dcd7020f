export const suiteFiles = {
  name: '0011-suite-files',
  sql: `
-- Of a suite that a file owns: the SHA-256 of the file, and what a program made it from.
alter table eval_suites add column source_hash text;
alter table eval_suites add column provenance jsonb;
`,
};
