/** Lets versions that run side by side detect each other, and records which migrations remove something. */
export const versions = {
  name: '0025-versions',
  sql: `
-- Null for processes of versions that do not say it.
alter table replicas add column role text;
alter table replicas add column version text;
`,
};
