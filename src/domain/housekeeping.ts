import { blobGarbage, forgetBlobGarbage } from '../platform/database/queries/blobs.ts';
import * as clients from '../platform/database/queries/clients.ts';
import { pruneIdempotencyKeys } from '../platform/database/queries/idempotency.ts';
import * as jobs from '../platform/database/queries/jobs.ts';
import { pruneRateBuckets } from '../platform/database/queries/replicas.ts';
import type { JobKind } from '../platform/jobs/worker.ts';
import type { Services } from './context.ts';

const hour = 3_600_000;
/** How many files are removed at the same time. */
const removers = 8;

/** Removes what nobody needs any more. */
export function housekeeping({ db, blobs }: Pick<Services, 'db' | 'blobs'>): JobKind[] {
  return [
    {
      kind: 'prune',
      every: hour,
      handle: async () => async (trx) => {
        await pruneIdempotencyKeys(trx);
        await trx.run(jobs.prune, {});
        await pruneRateBuckets(trx);
        await trx.run(clients.pruneConfigs, {});
      },
    },
    {
      kind: 'sweep-blobs',
      every: hour,
      // Until nothing is left: a large project leaves more than one batch.
      handle: async (_payload, signal) => {
        for (let ids = await blobGarbage(db); ids.length > 0; ids = await blobGarbage(db)) {
          await inParallel(ids, removers, (id) => blobs.remove(id));
          await forgetBlobGarbage(db, ids);
          signal.throwIfAborted();
        }
      },
    },
  ];
}

async function inParallel<T>(items: T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
