import type { Db } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';

export const decideRun = 'decide-eval-run';

/** Once for trials that are over, and once more when the judge was heard. */
export async function decideLater(db: Db, runId: string, after: 'tried' | 'graded' = 'tried'): Promise<void> {
  const uniqueKey = after === 'tried' ? runId : `${runId} ${after}`;
  // Deciding takes longer the more trials there were, so organizations take turns.
  const run = await db.row(runs.get, { id: runId });
  await enqueue(db, decideRun, { runId }, { uniqueKey, turnOf: run?.organizationId ?? '' });
}
