import { blobGarbage, forgetBlobGarbage } from '../platform/database/queries/blobs.ts';
import { pruneClientConfigs } from '../platform/database/queries/clients.ts';
import { pruneIdempotencyKeys } from '../platform/database/queries/idempotency.ts';
import { pruneJobs } from '../platform/database/queries/jobs.ts';
import { pruneRateBuckets } from '../platform/database/queries/replicas.ts';
import type { JobKind } from '../platform/jobs/worker.ts';
import type { Services } from './context.ts';

const hour = 3_600_000;

/** Removes what nobody needs any more. */
export function housekeeping({ db, blobs }: Pick<Services, 'db' | 'blobs'>): JobKind[] {
  return [
    {
      kind: 'prune',
      every: hour,
      handle: async () => async (trx) => {
        await pruneIdempotencyKeys(trx);
        await pruneJobs(trx);
        await pruneRateBuckets(trx);
        await pruneClientConfigs(trx);
      },
    },
    {
      kind: 'sweep-blobs',
      every: hour,
      handle: async () => {
        const ids = await blobGarbage(db);
        for (const id of ids) await blobs.remove(id);
        return (trx) => forgetBlobGarbage(trx, ids);
      },
    },
  ];
}
