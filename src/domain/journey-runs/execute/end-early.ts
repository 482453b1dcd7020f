import type { Db } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import { endIfOver } from './settle.ts';

export interface EarlyEnd {
  /** Error of the run, and of its unfinished sessions. */
  error: 'canceled' | 'stale_runner';
  errorCode: 'canceled' | 'stale_runner';
  errorMessage: string;
}

/**
 * Ends a run before all its sessions are over: queued ones never start, running ones are aborted and write nothing.
 * Returns the number of sessions ended, or undefined if the run was over already.
 */
export async function endEarly(
  db: Db,
  runId: string,
  { error, errorCode, errorMessage }: EarlyEnd,
): Promise<number | undefined> {
  const run = await db.row(runs.lock, { id: runId });
  if (run?.status !== 'running') return undefined;
  const open = await db.rows(sessions.openIds, { runId });
  await sessions.leases.cancel(
    db,
    open.map(({ id }) => id),
  );
  const end = { runId, status: 'failed', errorCode, errorMessage };
  const ended =
    (await db.run(sessions.closePending, { ...end, target: null })) +
    (await db.run(sessions.closeRunning, end));
  const counted = await db.one(runs.count, {
    id: runId,
    succeeded: 0,
    failed: ended,
    rateLimited: 0,
    toGrade: 0,
  });
  await endIfOver(db, counted, error);
  await db.run(runs.announce, { id: runId });
  return ended;
}
