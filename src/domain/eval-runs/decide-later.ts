import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { jobKinds } from '../base/job-kinds.ts';

/** Enqueues the decision once when all trials have ended, and again when the judge has finished. */
export async function decideLater(db: Db, runId: string, after: 'tried' | 'graded' = 'tried'): Promise<void> {
  const uniqueKey = after === 'tried' ? runId : `${runId} ${after}`;
  // Deciding a large run is slow, so organizations take turns.
  const run = await db.row(runs.get, { id: runId });
  await enqueue(db, jobKinds.decideEvalRun, { runId }, { uniqueKey, turnOf: run?.organizationId ?? '' });
}
