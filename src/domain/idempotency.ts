import { Refusal } from '../contract/errors.ts';
import type { Db } from '../platform/database/database.ts';
import * as idempotency from '../platform/database/queries/idempotency.ts';
import { newId } from '../platform/ids.ts';

/** One request as it is recognized when it comes again. */
export interface Repeatable {
  scope: idempotency.IdempotencyScope;
  requestHash: string;
}

/** The key is claimed, the work done and its answer kept in one transaction: all of it happens, or none. */
export function onceInTransaction(
  db: Db,
  { scope, requestHash }: Repeatable,
  work: (db: Db) => Promise<unknown>,
): Promise<unknown> {
  return db.transaction(async (trx) => {
    if ((await trx.run(idempotency.insert, { ...scope, requestHash })) === 1) {
      const answer = await work(trx);
      await trx.run(idempotency.record, { ...scope, response: answer, token: null });
      return answer;
    }
    return replayed(await trx.row(idempotency.find, scope), requestHash);
  });
}

/** How long a claim outlives the process that made it. */
const defaultLease = 60_000;

/**
 * For work that must not run inside a transaction: the claim is committed first, extended while the work goes on, and
 * the answer recorded under it. A refusal gives the claim up, so that the same key can be tried again. After a crash
 * the claim runs out by itself; whether the work was done is then for whoever repeats it to find out.
 */
export async function onceUnderClaim(
  db: Db,
  { scope, requestHash }: Repeatable,
  work: () => Promise<unknown>,
  lease = defaultLease,
): Promise<unknown> {
  const token = newId('idem');
  if ((await db.run(idempotency.claim, { ...scope, requestHash, token, lease })) === 0)
    return replayed(await db.row(idempotency.find, scope), requestHash);
  const extend = setInterval(() => {
    db.run(idempotency.extend, { ...scope, token, lease }).catch(() => {
      // The next turn tries again; a claim that runs out meanwhile belongs to whoever takes it.
    });
  }, lease / 3);
  try {
    const answer = await work().catch(async (error: unknown) => {
      await db.run(idempotency.release, { ...scope, token }).catch(() => {
        // It runs out.
      });
      throw error;
    });
    // The work is done: if this fails, the key is not free for doing it again.
    await db.run(idempotency.record, { ...scope, response: answer, token });
    return answer;
  } finally {
    clearInterval(extend);
  }
}

function replayed(earlier: idempotency.KeptAnswer | undefined, requestHash: string): unknown {
  if (earlier && earlier.requestHash !== requestHash)
    throw new Refusal('CONFLICT', 'This Idempotency-Key was used with another request. Use a new key', {
      details: { reason: 'IDEMPOTENCY_KEY_REUSED' },
    });
  if (!earlier?.done)
    throw new Refusal('CONFLICT', 'A request with this Idempotency-Key is under way. Try again later', {
      details: { reason: 'IDEMPOTENCY_KEY_IN_USE' },
      retryAfter: 1,
    });
  return earlier.response;
}
