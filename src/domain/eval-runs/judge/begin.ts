import type { Db } from '../../../platform/database/database.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { jobKinds } from '../../base/job-kinds.ts';
import type { Services } from '../../context/context.ts';
import { decideLater } from '../decide-later.ts';

/** Maximum number of trials judged in an advisory judgement, first trials of each case first. */
export const maxJudged = 500;
/** Time limit of a judgement, in milliseconds. */
export const judgingTime = 30 * 60_000;

interface Wanted {
  model: string;
  threshold: number;
  /** The run waits for the judgement, so every trial is judged. */
  gating: boolean;
  requestedBy: string;
  /** Why there will be no judgement. */
  refused?: string | undefined;
}

/** Creates a judgement and its job in the caller's transaction. A refused judgement is stored as failed. */
export async function beginJudging(
  { clock }: Pick<Services, 'clock'>,
  db: Db,
  { id: runId, organizationId }: Pick<RunRow, 'id' | 'organizationId'>,
  { refused, ...wanted }: Wanted,
): Promise<void> {
  const { count } = await db.one(judgements.countCompleted, { runId });
  const total = wanted.gating ? count : Math.min(count, maxJudged);
  const { request } = await db.one(judgements.begin, {
    runId,
    status: refused === undefined ? 'pending' : 'failed',
    ...wanted,
    total,
    skipped: count - total,
    errorCode: refused ?? null,
    deadlineAt: clock() + judgingTime,
  });
  if (refused !== undefined) return;
  const onBehalfOf = { organizationId, userId: wanted.requestedBy };
  const uniqueKey = `${runId} ${request}`;
  const jobId = await enqueue(db, jobKinds.judgeEvalRun, { runId, request }, { uniqueKey, onBehalfOf });
  if (jobId !== undefined) await db.run(judgements.setJob, { runId, jobId });
}

export interface JudgingEnd {
  runId: string;
  request: number;
  status: 'completed' | 'failed';
  errorCode?: string | undefined;
}

/**
 * Closes a judgement with the measurements so far, and enqueues the decision of a run that waits for it. No-op if it
 * is closed already.
 */
export async function endJudging(db: Db, { errorCode, ...end }: JudgingEnd): Promise<void> {
  const closed = await db.row(judgements.close, { ...end, errorCode: errorCode ?? null });
  if (closed?.gating) await decideLater(db, closed.runId, 'graded');
}
