export const live = {
  name: '0007-live',
  sql: `
-- What was learned of a server while using it. Not part of what its owners saved, so revision and updated_at stay.
-- The authorization server its client secret was first sent to; it is sent to no other.
alter table servers add column client_secret_issuer text;
-- Whether the last call with what is stored now ended with the server asking for OAuth.
alter table servers add column oauth_demanded boolean not null default false;
`,
};
