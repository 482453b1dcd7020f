import type { Db } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import { type Account, enqueue } from '../../../platform/jobs/queue.ts';
import { type FinalState, LeaseLost } from '../../../platform/leases/holder.ts';
import { jobKinds } from '../../base/job-kinds.ts';
import type { SessionOutcome } from './outcome.ts';

/**
 * Ends the lease of a session, stores its outcome, counts it and lets the next session start, in one transaction.
 * Writes nothing and returns false if the lease was lost. Locks the run before its sessions, like all code that ends
 * sessions.
 */
export async function settleSession(
  db: Db,
  row: sessions.LeasedSession,
  end: FinalState,
  outcome: SessionOutcome,
): Promise<boolean> {
  try {
    await db.transaction(async (trx) => {
      const run = await trx.row(runs.lock, { id: row.runId });
      if (!run || !(await sessions.leases.settle(trx, row, end))) throw new LeaseLost();
      await closeSession(trx, run, row, outcome);
    });
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) return false;
    throw error;
  }
}

async function closeSession(
  db: Db,
  run: runs.JourneyRunRow,
  { id, target }: sessions.LeasedSession,
  outcome: SessionOutcome,
): Promise<void> {
  const { status, errorCode, errorMessage, turnCap } = outcome;
  // A provider's rate limit says nothing about the server, so such a session is not graded.
  const graded = status !== 'rate_limited';
  await db.run(sessions.close, {
    id,
    status,
    errorCode,
    errorMessage,
    turnCap,
    criteria: graded && run.rubric !== null ? { status: 'pending' } : null,
    judge: graded && run.judged ? { status: 'pending' } : null,
  });
  const others = await closeOthers(db, run.id, target, outcome);
  const counted = await db.one(runs.count, {
    id: run.id,
    succeeded: status === 'succeeded' ? 1 : 0,
    failed: status === 'failed' ? 1 : 0,
    rateLimited: (status === 'rate_limited' ? 1 : 0) + others,
    toGrade: graded ? 1 : 0,
  });
  if (graded)
    await enqueue(
      db,
      jobKinds.gradeJourneySession,
      { sessionId: id, generation: 1 },
      { uniqueKey: id, onBehalfOf: starterOf(run) },
    );
  await db.rows(sessions.release, { runId: run.id, target });
  await endIfOver(db, counted);
  await db.run(runs.announce, { id: run.id });
}

/**
 * A rate limit ends the remaining sessions of the target; an exhausted budget ends those of the run. Returns how
 * many.
 */
function closeOthers(
  db: Db,
  runId: string,
  target: number,
  { errorCode, errorMessage }: SessionOutcome,
): Promise<number> | 0 {
  const all = errorCode === 'spend_cap_exceeded';
  if (!all && errorCode !== 'rate_limited') return 0;
  const end = { status: 'rate_limited', errorCode, errorMessage };
  return db.run(sessions.closePending, { runId, target: all ? null : target, ...end });
}

export async function endIfOver(db: Db, run: runs.JourneyRunRow, error: string | null = null): Promise<void> {
  const { id, total, succeeded, failed, rateLimited } = run;
  if (succeeded + failed + rateLimited < total) return;
  const ended = await db.row(runs.end, { id, status: statusOf(run, error), error });
  if (ended) await gradedIfOver(db, ended);
}

/**
 * `failed` if the run was canceled; `completed` if all sessions succeeded, `partial` if some did. Sessions stopped by
 * a rate limit do not make a run `failed`.
 */
function statusOf(
  { total, succeeded, failed }: runs.JourneyRunRow,
  error: string | null,
): runs.JourneyRunStatus {
  if (error === 'canceled') return 'failed';
  if (succeeded === total) return 'completed';
  if (succeeded > 0) return 'partial';
  return failed === 0 ? 'rate_limited' : 'failed';
}

/** When all sessions are graded, enqueues the analysis of the wave. */
export async function gradedIfOver(db: Db, run: runs.JourneyRunRow): Promise<void> {
  const { id, projectId, waveId, status, toGrade, graded } = run;
  if (status === 'running' || graded < toGrade) return;
  await enqueue(
    db,
    jobKinds.observeJourneyWave,
    { runId: id, projectId, waveId },
    { uniqueKey: id, onBehalfOf: starterOf(run) },
  );
}

/** Organizations take turns in the grading queue, so that thousands of sessions of one do not delay the others. */
function starterOf({ organizationId, startedBy }: runs.JourneyRunRow): Account {
  return { organizationId, userId: startedBy };
}
