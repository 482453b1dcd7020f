import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as trials from '../../../platform/database/queries/eval-trials.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import type { Services } from '../../context/context.ts';
import { decision, tallyRuns } from './decide.ts';
import { decideLater } from './decide-later.ts';
import { type EarlyEnd, endEarly } from './end-early.ts';

/**
 * Ends runs that exceed their time limit, counts ended trials that are not counted yet, and enqueues the decision of
 * runs whose trials or judge have ended but whose decision is not enqueued.
 */
export function watchHandler(services: Services): JobHandler {
  const { db } = services;
  return {
    handle: async () => {
      for (const { id, source } of await db.rows(runs.listOverdue))
        await db.transaction((trx) => endEarly(services, trx, id, lateEnd(services, source)));
      const left = await db.rows(trials.untallied);
      await tallyRuns(
        db,
        left.map(({ id }) => id),
      );
      const undecided = await db.rows(runs.undecided);
      const graded = await db.rows(runs.graded);
      return async (trx) => {
        for (const { id } of undecided) await decideLater(trx, id);
        for (const { id } of graded) await decideLater(trx, id, 'graded');
      };
    },
  };
}

/**
 * Decides a run. Enqueued by the transaction that counts its last trial. Retried on failure until the time limit of
 * the run and its judge has passed.
 */
export function decideHandler(services: Services): JobHandler {
  const runOf = (payload: unknown): string => (payload as { runId: string }).runId;
  return {
    handle: async (payload) => decision(services, runOf(payload)),
    givenUp: (payload) => async (trx) => {
      const id = runOf(payload);
      if (await trx.row(runs.findAwaitingJudge, { id }))
        await endEarly(services, trx, id, {
          status: 'timed_out',
          stopReason: 'run_timeout',
          error: 'The judge timed out, so the run has no verdict',
        });
    },
  };
}

function lateEnd({ config }: Services, source: string): EarlyEnd {
  const status = 'timed_out';
  if (source === 'sdk')
    return {
      status,
      stopReason: 'never_finalized',
      error: `No report for ${config.evalRunTimeout} s; the run was not finalized`,
    };
  return { status, stopReason: 'run_timeout', error: `The run took longer than ${config.evalRunTimeout} s` };
}
