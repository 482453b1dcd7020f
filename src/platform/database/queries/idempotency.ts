import { flag, float, json, orNull, type RowOf, table, text } from '../columns.ts';
import { query } from '../query.ts';

const scope = { organizationId: text, userId: text, operation: text, key: text };
export type IdempotencyScope = RowOf<typeof scope>;

const keys = table('idempotency_keys', { ...scope, requestHash: text });

const ofScope =
  'organization_id = :organizationId and user_id = :userId and operation = :operation and key = :key';
const ofClaim = `${ofScope} and claim_token = :token and response is null`;

/**
 * For work in the same transaction. Inserts nothing if the key was used before; a concurrent request with the same key
 * waits until the first transaction ends.
 */
export const insert = query('idempotency.insert', `${keys.insert()} on conflict do nothing`, keys.columns);
/**
 * For work outside of a transaction: reserves the key for `lease` milliseconds. After an expired claim, the same
 * request can claim the key again.
 */
export const claim = query(
  'idempotency.claim',
  `insert into idempotency_keys as k (organization_id, user_id, operation, key, request_hash, claim_token, claimed_until)
   values (:organizationId, :userId, :operation, :key, :requestHash, :token, now() + :lease * interval '1 ms')
   on conflict (organization_id, user_id, operation, key) do update
     set claim_token = excluded.claim_token, claimed_until = excluded.claimed_until
     where k.response is null and k.claimed_until < now() and k.request_hash = excluded.request_hash`,
  { ...keys.columns, token: text, lease: float },
);
export const extend = query(
  'idempotency.extend',
  `update idempotency_keys set claimed_until = now() + :lease * interval '1 ms' where ${ofClaim}`,
  { ...scope, token: text, lease: float },
);
export const release = query('idempotency.release', `delete from idempotency_keys where ${ofClaim}`, {
  ...scope,
  token: text,
});
export const find = query(
  'idempotency.find',
  `select request_hash as "requestHash", response is not null as done, response from idempotency_keys
   where ${ofScope}`,
  scope,
  { requestHash: text, done: flag, response: orNull(json<unknown>()) },
);
export type KeptAnswer = RowOf<typeof find.gives>;
/** Stores the response. `token` is that of the claim, or null for work without a claim. */
export const record = query(
  'idempotency.record',
  `update idempotency_keys set response = :response
   where ${ofScope} and claim_token is not distinct from :token`,
  { ...scope, response: json<unknown>(), token: orNull(text) },
);
export const prune = query(
  'idempotency.prune',
  `delete from idempotency_keys where created_at < now() - interval '24 hours'`,
  {},
);
