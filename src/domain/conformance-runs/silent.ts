import * as runs from '../../platform/database/queries/conformance-runs.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import type { Services } from '../context/context.ts';
import { settle } from './settle.ts';

/** Ends reported runs that receive no more reports. */
export function silentRunsHandler({ db }: Pick<Services, 'db'>): JobHandler {
  return {
    handle: async () => {
      for (const which of await db.rows(runs.silent, { after: runs.silence }))
        await db.transaction(async (trx) => {
          const run = await trx.row(runs.lockSilent, { ...which, after: runs.silence });
          if (run) await settle(trx, run, { status: 'failed', reason: 'silent' });
        });
    },
  };
}
