export const idempotencyClaims = {
  name: '0006-idempotency-claims',
  sql: `
-- For work that does not run inside a transaction: whoever does it holds the key until then.
alter table idempotency_keys add column claim_token text, add column claimed_until timestamptz(3);
`,
};
