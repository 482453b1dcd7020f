import * as runs from '../../platform/database/queries/conformance-runs.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Services } from '../context/context.ts';
import { settle } from './settle.ts';

/** Milliseconds without a report after which a reported run is ended. */
const silence = 600_000;

/** Ends reported runs that receive no more reports. */
export function silentRunsJob({ db }: Pick<Services, 'db'>): JobKind {
  return {
    kind: 'end-silent-conformance-runs',
    every: 30_000,
    handle: async () => {
      for (const which of await db.rows(runs.silent, { after: silence }))
        await db.transaction(async (trx) => {
          const run = await trx.row(runs.lockSilent, { ...which, after: silence });
          if (run) await settle(trx, run, { status: 'failed', reason: 'silent' });
        });
    },
  };
}
