import { notRunWarning } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import type { Services } from '../../context/context.ts';
import { isOpen } from '../is-open.ts';
import { stopJudging } from '../judge/grading.ts';
import { settleRun } from './decide.ts';

export interface EarlyEnd {
  status: 'cancelled' | 'timed_out' | 'failed';
  stopReason: string;
  error?: string;
}

/**
 * Ends a run before all its trials are over: queued trials never start, running ones are aborted and write nothing.
 * Locks trials before the run, the lock order of a trial that ends. Returns the run as it is then, or undefined if it
 * was over already.
 */
export async function endEarly(
  services: Pick<Services, 'vault' | 'clock'>,
  db: Db,
  runId: string,
  { status, stopReason, error }: EarlyEnd,
): Promise<runs.RunRow | undefined> {
  const known = await db.row(runs.get, { id: runId });
  if (!known || !isOpen(known.status)) return undefined;
  await db.row(runs.queueToEnd, { projectId: known.projectId });
  const open = await db.rows(trials.openIds, { runId });
  await trials.leases.cancel(
    db,
    open.map(({ id }) => id),
  );
  await db.rows(trials.tally, { runIds: [runId] });
  const run = await db.row(runs.lock, { id: runId });
  if (!run || !isOpen(run.status)) return undefined;
  // The judge may already have changed results of some trials, so their counts are recomputed.
  if (run.status === 'grading') await db.run(runs.recount, { id: runId });
  const warnings = notRunWarning(run.trials, run.finished);
  const end = {
    status,
    result: null,
    stopReason,
    error: error ?? null,
    scoreIntegrity: null,
    warnings: warnings.length > 0 ? warnings : null,
  };
  const ended = await db.row(runs.end, { id: runId, trials: run.trials, ...end });
  if (!ended) return undefined;
  await stopJudging(db, ended.id, 'run_ended');
  await settleRun(services, db, ended, run.sealedId);
  return ended;
}
