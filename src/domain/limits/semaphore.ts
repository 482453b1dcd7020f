import { Refusal } from '../../contract/errors.ts';
import * as slots from '../../platform/database/queries/slot-grants.ts';
import { newId } from '../../platform/ids.ts';
import type { Context } from '../context/context.ts';

/** Limits concurrent work across all replicas. */
export interface Semaphore {
  pool: string;
  permits: number;
  /** The work as a plural noun, for the error message. */
  noun: string;
}

/** A permit that is not renewed for this many seconds belongs to a process that has died, and is free again. */
const expiresAfter = 30;

/** Runs the work while holding a permit. Refuses with 429 if no permit is free. */
export async function withPermit<T>(
  { db }: Pick<Context, 'db'>,
  { pool, permits, noun }: Semaphore,
  work: () => Promise<T>,
): Promise<T> {
  const holder = newId('turn');
  const taken = await db.transaction(async (trx) => {
    await trx.row(slots.lockPool, { pool });
    return trx.run(slots.take, { pool, holder, most: permits, seconds: expiresAfter });
  });
  if (taken === 0)
    throw new Refusal(
      'RATE_LIMITED',
      `The limit of ${permits} concurrent ${noun} is reached. Retry in a few seconds`,
      {
        details: { reason: 'CONCURRENT_TURN_LIMIT', maxConcurrentTurns: permits },
        retryAfter: 5,
      },
    );
  const renewal = setInterval(() => {
    // A failed renewal is retried at the next interval.
    db.run(slots.renew, { holder, seconds: expiresAfter }).catch(() => {});
  }, expiresAfter * 333);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await db.run(slots.leave, { holder }).catch(() => {
      // The permit expires.
    });
  }
}
