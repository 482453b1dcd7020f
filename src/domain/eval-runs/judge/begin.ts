import type { Db } from '../../../platform/database/database.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import type { Services } from '../../context.ts';
import { decideLater } from '../execute/decide-later.ts';

export const judgeRun = 'judge-eval-run';

/** Trials that are judged where nothing waits for it; of more, the first of each case. */
export const mostJudged = 500;
/** Milliseconds that a judge may take for a run. */
export const judgingTime = 30 * 60_000;

interface Wanted {
  model: string;
  threshold: number;
  /** The run waits for it, so that every trial counts. */
  gating: boolean;
  requestedBy: string;
  /** Why there will be no judgement. */
  refused?: string | undefined;
}

/** Asks for a judgement in the caller's transaction; the job that makes it is there when it commits. */
export async function beginJudging(
  { clock }: Pick<Services, 'clock'>,
  db: Db,
  { id: runId, organizationId }: Pick<RunRow, 'id' | 'organizationId'>,
  { refused, ...wanted }: Wanted,
): Promise<void> {
  const { count } = await db.one(judgements.countCompleted, { runId });
  const total = wanted.gating ? count : Math.min(count, mostJudged);
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
  const jobId = await enqueue(db, judgeRun, { runId, request }, { uniqueKey, onBehalfOf });
  if (jobId !== undefined) await db.run(judgements.setJob, { runId, jobId });
}

export interface JudgingEnd {
  runId: string;
  request: number;
  status: 'completed' | 'failed';
  errorCode?: string | undefined;
}

/**
 * Ends a judgement with what was measured until then, and has a run decided that waits for it. Nothing when it had ended.
 */
export async function endJudging(db: Db, { errorCode, ...end }: JudgingEnd): Promise<void> {
  const closed = await db.row(judgements.close, { ...end, errorCode: errorCode ?? null });
  if (closed?.gating) await decideLater(db, closed.runId, 'graded');
}
