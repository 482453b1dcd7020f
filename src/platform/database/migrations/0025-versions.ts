/** Versions that run beside each other know of each other, and which migrations take something away. */
export const versions = {
  name: '0025-versions',
  sql: `
-- Null for processes of versions that do not say it.
alter table replicas add column role text;
alter table replicas add column version text;
`,
};
