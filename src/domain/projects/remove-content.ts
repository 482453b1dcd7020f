import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as journeyRuns from '../../platform/database/queries/journey-runs.ts';
import * as contents from '../../platform/database/queries/project-contents.ts';
import type { Account } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { jobKinds } from '../base/job-kinds.ts';
import { removal, removeLater } from '../base/removal.ts';
import type { Services } from '../context/context.ts';
import { endEarly } from '../eval-runs/execute/end-early.ts';
import { stopJudgings } from '../eval-runs/judge/grading.ts';
import { endEarly as endJourneyRun } from '../journey-runs/execute/end-early.ts';

export function contentRemoval(services: Pick<Services, 'db' | 'vault' | 'clock'>): JobHandler {
  return removal(services.db, contents, (projectId, signal) => endRuns(services, projectId, signal));
}

/** Ends the open runs and judgements of the project, so that they call no more servers and models. */
async function endRuns(
  services: Pick<Services, 'db' | 'vault' | 'clock'>,
  projectId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db } = services;
  for (;;) {
    signal.throwIfAborted();
    const open = await db.rows(runs.openOfProject, { projectId });
    if (open.length === 0) break;
    const end = { status: 'cancelled', stopReason: 'project_deleted' } as const;
    for (const { id } of open) await db.transaction((trx) => endEarly(services, trx, id, end));
  }
  await stopJudgings(services, projectId, signal);
  for (;;) {
    signal.throwIfAborted();
    const open = await db.rows(journeyRuns.openOfProject, { projectId });
    if (open.length === 0) break;
    const errorMessage = 'The project was deleted';
    const end = { error: 'canceled', errorCode: 'canceled', errorMessage } as const;
    for (const { id } of open) await db.transaction((trx) => endJourneyRun(trx, id, end));
  }
}

/** Enqueues the removal in the transaction that deletes the project. */
export function removeContentLater(db: Db, projectId: string, onBehalfOf: Account): Promise<void> {
  return removeLater(db, jobKinds.removeProjectContent, projectId, onBehalfOf);
}
