import type { Kind } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import type { Query } from '../platform/database/query.ts';
import { type Account, enqueue, enqueueAll } from '../platform/jobs/queue.ts';
import type { JobKind } from '../platform/jobs/worker.ts';

/** Milliseconds a batch should take: others wait for the rows and the disk meanwhile. */
const longBatch = 200;
const firstBatch = 100;
const largestBatch = 5_000;

interface Removed {
  /** Of the job that removes one. */
  kind: string;
  contents: {
    /** Those that were deleted and are not gone yet: this one, or all. */
    deleted: Query<{ id: Kind<string | null> }, { id: Kind<string> }>;
    steps: readonly Query<{ id: Kind<string>; most: Kind<number> }>[];
    remove: Query<{ id: Kind<string> }>;
  };
  /** What has to be over before anything is removed. */
  first?: (id: string, signal: AbortSignal) => Promise<void>;
}

/** What a deleted thing leaves behind goes in batches, children first and the row last. */
export function removalJobs(db: Db, { kind, contents, first }: Removed): JobKind[] {
  return [
    {
      kind,
      // One large thing at a time, so that the others find free slots.
      concurrency: 1,
      handle: async (payload, signal) => {
        const { id } = payload as { id: string };
        if (!(await db.row(contents.deleted, { id }))) return undefined;
        await first?.(id, signal);
        for (const step of contents.steps) await inBatches((most) => db.run(step, { id, most }), signal);
        return async (trx) => void (await trx.run(contents.remove, { id }));
      },
    },
    {
      kind: `find-for-${kind}`,
      every: 3_600_000,
      // Those whose job was given up.
      handle: async () => async (trx) => {
        const left = await trx.rows(contents.deleted, { id: null });
        await enqueueAll(
          trx,
          left.map(({ id }) => ({ kind, payload: { id }, uniqueKey: id })),
        );
      },
    },
  ];
}

/** In the transaction that deletes it. */
export async function removeLater(db: Db, kind: string, id: string, onBehalfOf: Account): Promise<void> {
  await enqueue(db, kind, { id }, { uniqueKey: id, onBehalfOf });
}

/** Each batch is a transaction of its own: after a crash the rest is found and removed. How many rows went. */
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
    if (took > longBatch) most = Math.max(1, Math.floor(most / 2));
    else if (took < longBatch / 4) most = Math.min(2 * most, largestBatch);
  }
}
