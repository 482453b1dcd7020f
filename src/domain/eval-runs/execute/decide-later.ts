import type { Db } from '../../../platform/database/database.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';

export const decideRun = 'decide-eval-run';

/** Once for trials that are over, and once more when the judge was heard. */
export async function decideLater(db: Db, runId: string, after: 'tried' | 'graded' = 'tried'): Promise<void> {
  const uniqueKey = after === 'tried' ? runId : `${runId} ${after}`;
  await enqueue(db, decideRun, { runId }, { uniqueKey });
}
