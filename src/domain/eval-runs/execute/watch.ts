import * as runs from '../../../platform/database/queries/eval-runs.ts';
import type { JobKind } from '../../../platform/jobs/worker.ts';
import type { Services } from '../../context.ts';
import { endEarly } from './end-early.ts';
import { decideLater } from './record.ts';

/** Ends runs that take too long, and has those decided whose trials are over and that nobody decided. */
export function watchJob(services: Services): JobKind {
  const { db } = services;
  return {
    kind: 'watch-eval-runs',
    every: 15_000,
    handle: async () => {
      for (const { id } of await db.rows(runs.late))
        await db.transaction((trx) =>
          endEarly(services, trx, id, {
            status: 'timed_out',
            stopReason: 'run_timeout',
            error: `The run took longer than ${services.config.evalRunTimeout} s`,
          }),
        );
      const undecided = await db.rows(runs.undecided);
      return async (trx) => {
        for (const { id } of undecided) await decideLater(trx, id);
      };
    },
  };
}
