import { Refusal } from '../../contract/errors.ts';
import { sortKeys } from '../../platform/canonical.ts';
import type { Db } from '../../platform/database/database.ts';
import * as idempotency from '../../platform/database/queries/idempotency.ts';
import { newId } from '../../platform/ids.ts';
import type { Engines } from './engines.ts';

/** Identifies a repeated request. */
export interface Repeatable {
  scope: idempotency.IdempotencyScope;
  requestHash: string;
}

/** Claims the key, does the work and stores the response in one transaction. */
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

/** Milliseconds after its last renewal at which a claim expires. */
const defaultLease = 60_000;

/**
 * For work that must not run in a transaction. Commits the claim first, renews it during the work, and stores the
 * response under it. An error releases the key for another attempt. After a crash the claim expires; a repeated
 * request must then find out itself whether the work was done.
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
      // A failed renewal is retried at the next interval; an expired claim may be taken over.
    });
  }, lease / 3);
  try {
    const answer = await work().catch(async (error: unknown) => {
      await db.run(idempotency.release, { ...scope, token }).catch(() => {
        // If releasing fails, the claim expires.
      });
      throw error;
    });
    // If storing the response fails, the claim is not released: the work is done, and a repeat waits for its expiry.
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
    throw new Refusal('CONFLICT', 'A request with this Idempotency-Key is in progress. Try again later', {
      details: { reason: 'IDEMPOTENCY_KEY_IN_USE' },
      retryAfter: 1,
    });
  return earlier.response;
}

export interface LaunchIdentity {
  idempotencyKey?: string;
  requestHash?: string;
}

/** The header takes precedence over the body; a blank key in the body is ignored. */
export function identityOf(
  { vault }: Pick<Engines, 'vault'>,
  input: { idempotencyKey?: string },
  inBody: string | undefined,
  body: object,
): LaunchIdentity {
  const key = input.idempotencyKey ?? (inBody?.trim() || undefined);
  if (key === undefined) return {};
  const { idempotencyKey: _, ...rest } = body as { idempotencyKey?: string };
  return { idempotencyKey: key, requestHash: vault.fingerprint(JSON.stringify(sortKeys(rest))) };
}
