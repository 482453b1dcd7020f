import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/database.ts';
import { type Enqueued, enqueueAll } from '../../../platform/jobs/queue.ts';
import { jobKinds } from '../../base/job-kinds.ts';

/** Debounce in milliseconds: events within this time cause one analysis. */
const debounce = 5_000;
/** Milliseconds without activity after which a session counts as over, and the debounce of the analysis after it. */
export const idleAfter = 10 * 60_000;
const idleStep = 60_000;

export interface AnalysisPayload {
  studyId: string;
  /** Time of the event; the window containing it is analysed. */
  at: number;
  /** Organization of the study; missing in jobs enqueued by earlier versions. */
  turnOf?: string;
}

/** Enqueues an analysis in the transaction of the event. */
export async function scheduleAnalysis(db: Db, clock: Clock, studyId: string, turnOf: string): Promise<void> {
  const now = clock();
  const at = (name: string, step: number, after: number): Enqueued => {
    const slot = Math.floor(now / step);
    const payload: AnalysisPayload = { studyId, at: now, turnOf };
    const delay = (slot + 1) * step - now + after;
    return { kind: jobKinds.analyseStudy, payload, uniqueKey: `${studyId} ${name} ${slot}`, delay, turnOf };
  };
  await enqueueAll(db, [at('soon', debounce, 0), at('idle', idleStep, idleAfter)]);
}
