import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { jobKinds } from '../base/job-kinds.ts';
import type { Services } from '../context/context.ts';
import { emit, hasSubscriber } from '../webhooks/emit.ts';
import { previousComparableRun } from './compare/baseline.ts';
import { coverageOf } from './coverage.ts';
import { gateOf } from './gate/report.ts';

/** Emits the webhook events of an ended run, in the transaction that ends it. */
export async function enqueueRunEvent(db: Db, run: runs.RunRow): Promise<void> {
  const { projectId, id: runId, suiteId, organizationId, startedBy, source } = run;
  // Benchmark runs are parts of a measurement and are not announced.
  if (source === 'benchmark') return;
  const { status, result, stopReason, trials, passed, failed, startedAt, completedAt, ci, environment } = run;
  const data = {
    runId,
    suiteId,
    runNumber: run.runNumber,
    source,
    status,
    result,
    stopReason,
    trials,
    passed,
    failed,
    ...(run.warnings !== null && { warnings: run.warnings }),
    environmentId: environment?.id ?? null,
    ci,
    startedAt,
    completedAt,
  };
  await emit(db, projectId, [{ type: 'eval_run.decided', subject: runId, data }]);
  // The gate covers whole suites only; a run of some cases does not change it.
  const isSuite = status === 'completed' && coverageOf(run) === 'suite';
  if (!isSuite || !(await hasSubscriber(db, projectId, 'gate.changed'))) return;
  const onBehalfOf = { organizationId, userId: startedBy };
  await enqueue(db, jobKinds.announceGate, { runId }, { uniqueKey: runId, onBehalfOf });
}

/** A separate job: the gate reads all trials of several runs, too slow for the transaction that ends a run. */
export function gateEventHandler({ db }: Services): JobHandler {
  return {
    handle: async (payload) => {
      const { runId } = payload as { runId: string };
      const run = await db.row(runs.get, { id: runId });
      if (!run) return undefined;
      const { suiteId, projectId } = run;
      const like = await previousComparableRun(db, run);
      const previous = 'run' in like ? like.run : undefined;
      const outcome = await outcomeOf(db, run);
      const previousOutcome = previous ? await outcomeOf(db, previous) : null;
      if (outcome === previousOutcome) return undefined;
      const data = {
        cause: 'run',
        runId,
        suiteId,
        outcome,
        previousOutcome,
        previousRunId: previous?.id ?? null,
      };
      return (trx) => emit(trx, projectId, [{ type: 'gate.changed', subject: runId, data }]);
    },
  };
}

/** Without a quality gate, the outcome is the result of the run. */
async function outcomeOf(db: Db, run: runs.RunRow): Promise<string | null> {
  const { outcome } = await gateOf({ db, project: { id: run.projectId } }, run);
  return outcome === 'not_configured' ? run.result : outcome;
}

/** A waiver changes the effective gate outcome, whatever the gate reports. */
export async function enqueueWaiverEvent(
  db: Db,
  { projectId, id: runId, suiteId, result }: runs.RunRow,
  cause: 'waiver.created' | 'waiver.revoked',
  waiverId: string,
): Promise<void> {
  const data = { cause, runId, suiteId, waiverId, result, waived: cause === 'waiver.created' };
  await emit(db, projectId, [{ type: 'gate.changed', subject: runId, data }]);
}
