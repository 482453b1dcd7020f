import { type Db, statement } from '../database.ts';

export interface IdempotencyScope {
  organizationId: string;
  userId: string;
  operation: string;
  key: string;
}

// A second request with the key waits here until the first one's transaction ends.
const claim = statement(
  'idempotency.claim',
  `insert into idempotency_keys (organization_id, user_id, operation, key, request_hash)
   values ($1, $2, $3, $4, $5) on conflict do nothing`,
);
const find = statement<{ requestHash: string; response: unknown }>(
  'idempotency.find',
  `select request_hash as "requestHash", response from idempotency_keys
   where organization_id = $1 and user_id = $2 and operation = $3 and key = $4`,
);
const record = statement(
  'idempotency.record',
  `update idempotency_keys set response = $5
   where organization_id = $1 and user_id = $2 and operation = $3 and key = $4`,
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

export async function claimIdempotencyKey(
  db: Db,
  scope: IdempotencyScope,
  requestHash: string,
): Promise<boolean> {
  return (await db.run(claim, [...scopeValues(scope), requestHash])) === 1;
}

export function findIdempotencyKey(
  db: Db,
  scope: IdempotencyScope,
): Promise<{ requestHash: string; response: unknown } | undefined> {
  return db.row(find, scopeValues(scope));
}

export async function recordAnswer(db: Db, scope: IdempotencyScope, response: unknown): Promise<void> {
  await db.run(record, [...scopeValues(scope), JSON.stringify(response)]);
}

export function pruneIdempotencyKeys(db: Db): Promise<number> {
  return db.run(prune);
}
