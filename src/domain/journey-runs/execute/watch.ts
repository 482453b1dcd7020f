import * as runs from '../../../platform/database/queries/journey-runs.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import type { Services } from '../../context/context.ts';
import { endEarly } from './end-early.ts';

/** Ends runs without progress for a long time. */
export function watchJourneysHandler({ db, config }: Services): JobHandler {
  const seconds = config.journeySilence;
  return {
    handle: async () => {
      for (const { id } of await db.rows(runs.silent, { seconds }))
        await db.transaction((trx) =>
          endEarly(trx, id, {
            error: 'stale_runner',
            errorCode: 'stale_runner',
            errorMessage: `No worker processed the run for ${seconds} s`,
          }),
        );
    },
  };
}
