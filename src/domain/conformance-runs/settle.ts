import { outcomeOfRun, scoreOf, sumOf } from '../../conformance/report.ts';
import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/conformance-runs.ts';
import { emit } from '../webhooks/emit.ts';
import { type ConformanceRun, isOpen } from './find.ts';

export interface End {
  status: 'completed' | 'failed' | 'cancelled';
  /** Why it ended early. */
  reason?: string;
}

/** Ends a run the caller has locked, based on its reports. No-op if the run is over. */
export async function settle(db: Db, run: ConformanceRun, { status, reason }: End): Promise<ConformanceRun> {
  if (!isOpen(run)) return run;
  const reports = await db.rows(runs.reportsOf, { runIds: [run.id] });
  const counts = sumOf(reports);
  const ended = await db.one(runs.end, {
    id: run.id,
    status,
    // An aborted run is incomplete, even if all its suites were reported.
    outcome: reason === undefined ? outcomeOfRun(run.requestedSuites, reports) : 'incomplete',
    score: scoreOf(counts),
    ...counts,
    reason: reason ?? null,
  });
  await tell(db, ended);
  return ended;
}

async function tell(db: Db, run: ConformanceRun): Promise<void> {
  const { id: runId, projectId, serverId, source, status, outcome, score, passed, failed, pending } = run;
  const data = {
    runId,
    serverId,
    source,
    status,
    outcome,
    score,
    passed,
    failed,
    pending,
    reason: run.reason,
  };
  await emit(db, projectId, [{ type: 'conformance_run.decided', subject: runId, data }]);
}
