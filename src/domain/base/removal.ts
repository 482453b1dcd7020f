import type { Kind } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Query } from '../../platform/database/query.ts';
import { type Account, enqueue, enqueueAll } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';

/** Target duration of a batch in milliseconds; a batch blocks others on its rows and the disk. */
const targetDuration = 200;
/** Rows of the first batch, and maximum number of rows of a batch. */
const firstBatch = 100;
const maxBatch = 5_000;

interface Contents {
  /** IDs marked deleted but not yet removed: this one, or all if null. */
  deleted: Query<{ id: Kind<string | null> }, { id: Kind<string> }>;
  steps: readonly Query<{ id: Kind<string>; most: Kind<number> }>[];
  remove: Query<{ id: Kind<string> }>;
}

/**
 * Deletes the contents of a deleted object in batches, children first and its own row last. `first` is awaited before
 * anything is removed.
 */
export function removal(
  db: Db,
  contents: Contents,
  first: (id: string, signal: AbortSignal) => Promise<void>,
): JobHandler {
  return {
    handle: async (payload, signal) => {
      const { id } = payload as { id: string };
      if (!(await db.row(contents.deleted, { id }))) return undefined;
      await first(id, signal);
      for (const step of contents.steps) await inBatches((most) => db.run(step, { id, most }), signal);
      return async (trx) => void (await trx.run(contents.remove, { id }));
    },
  };
}

/** Enqueues again the removals whose job was given up. */
export function removalsLeft(kind: string, deleted: Contents['deleted']): JobHandler {
  return {
    handle: async () => async (trx) => {
      const left = await trx.rows(deleted, { id: null });
      await enqueueAll(
        trx,
        left.map(({ id }) => ({ kind, payload: { id }, uniqueKey: id })),
      );
    },
  };
}

/** Enqueues the removal. `db` must be the transaction that marks the object as deleted. */
export async function removeLater(db: Db, kind: string, id: string, onBehalfOf: Account): Promise<void> {
  await enqueue(db, kind, { id }, { uniqueKey: id, onBehalfOf });
}

/** Each batch commits by itself, so a crash loses no progress. Returns the number of rows removed. */
export async function inBatches(
  remove: (most: number) => Promise<number>,
  signal: AbortSignal,
): Promise<number> {
  let most = firstBatch;
  for (let sum = 0; ; ) {
    signal.throwIfAborted();
    const began = performance.now();
    const removed = await remove(most);
    if (removed === 0) return sum;
    sum += removed;
    const took = performance.now() - began;
    if (took > targetDuration) most = Math.max(1, Math.floor(most / 2));
    else if (took < targetDuration / 4) most = Math.min(2 * most, maxBatch);
  }
}
