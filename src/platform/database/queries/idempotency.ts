import { type Db, statement } from '../database.ts';

export interface IdempotencyScope {
  organizationId: string;
  userId: string;
  operation: string;
  key: string;
}

export interface KeptAnswer {
  requestHash: string;
  done: boolean;
  response: unknown;
}

const ofScope = 'organization_id = $1 and user_id = $2 and operation = $3 and key = $4';

// A second request with the key waits here until the first one's transaction ends.
const insert = statement(
  'idempotency.insert',
  `insert into idempotency_keys (organization_id, user_id, operation, key, request_hash)
   values ($1, $2, $3, $4, $5) on conflict do nothing`,
);
// A claim whose holder went silent goes to the same request when it comes again.
const claim = statement(
  'idempotency.claim',
  `insert into idempotency_keys as k (organization_id, user_id, operation, key, request_hash, claim_token, claimed_until)
   values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms')
   on conflict (organization_id, user_id, operation, key) do update
     set claim_token = excluded.claim_token, claimed_until = excluded.claimed_until
     where k.response is null and k.claimed_until < now() and k.request_hash = excluded.request_hash`,
);
const extend = statement(
  'idempotency.extend',
  `update idempotency_keys set claimed_until = now() + $6 * interval '1 ms'
   where ${ofScope} and claim_token = $5 and response is null`,
);
const release = statement(
  'idempotency.release',
  `delete from idempotency_keys where ${ofScope} and claim_token = $5 and response is null`,
);
const find = statement<KeptAnswer>(
  'idempotency.find',
  `select request_hash as "requestHash", response is not null as done, response from idempotency_keys
   where ${ofScope}`,
);
const record = statement(
  'idempotency.record',
  `update idempotency_keys set response = $5 where ${ofScope} and claim_token is not distinct from $6`,
);
const prune = statement(
  'idempotency.prune',
  "delete from idempotency_keys where created_at < now() - interval '24 hours'",
);

const scopeValues = (scope: IdempotencyScope): unknown[] => [
  scope.organizationId,
  scope.userId,
  scope.operation,
  scope.key,
];

/** Inside the transaction that also does the work. False when the key was used before. */
export async function insertIdempotencyKey(
  db: Db,
  scope: IdempotencyScope,
  requestHash: string,
): Promise<boolean> {
  return (await db.run(insert, [...scopeValues(scope), requestHash])) === 1;
}

/** For work outside of a transaction: the key is ours for `lease` milliseconds. */
export async function claimIdempotencyKey(
  db: Db,
  scope: IdempotencyScope,
  requestHash: string,
  token: string,
  lease: number,
): Promise<boolean> {
  return (await db.run(claim, [...scopeValues(scope), requestHash, token, lease])) === 1;
}

export async function extendIdempotencyClaim(
  db: Db,
  scope: IdempotencyScope,
  token: string,
  lease: number,
): Promise<void> {
  await db.run(extend, [...scopeValues(scope), token, lease]);
}

export async function releaseIdempotencyClaim(db: Db, scope: IdempotencyScope, token: string): Promise<void> {
  await db.run(release, [...scopeValues(scope), token]);
}

export function findIdempotencyKey(db: Db, scope: IdempotencyScope): Promise<KeptAnswer | undefined> {
  return db.row(find, scopeValues(scope));
}

export async function recordAnswer(
  db: Db,
  scope: IdempotencyScope,
  response: unknown,
  token: string | null = null,
): Promise<void> {
  await db.run(record, [...scopeValues(scope), JSON.stringify(response), token]);
}

export function pruneIdempotencyKeys(db: Db): Promise<number> {
  return db.run(prune);
}
