import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/database.ts';
import { type Enqueued, enqueueAll } from '../../../platform/jobs/queue.ts';

export const analyseStudy = 'analyse-study';

/** Milliseconds: whatever happens within one such time is looked at once, after it. */
const soon = 5_000;
/** After which a session counts as over, and how often that is looked for. */
export const idleAfter = 10 * 60_000;
const idleStep = 60_000;

export interface AnalysisPayload {
  studyId: string;
  /** Whose windows are looked at: the one it was in when something happened. */
  at: number;
  /** Of the study's organization; those of earlier versions do not say it. */
  turnOf?: string;
}

/** In the transaction in which something happened in a study. */
export async function scheduleAnalysis(db: Db, clock: Clock, studyId: string, turnOf: string): Promise<void> {
  const now = clock();
  const at = (name: string, step: number, after: number): Enqueued => {
    const slot = Math.floor(now / step);
    const payload: AnalysisPayload = { studyId, at: now, turnOf };
    const delay = (slot + 1) * step - now + after;
    return { kind: analyseStudy, payload, uniqueKey: `${studyId} ${name} ${slot}`, delay, turnOf };
  };
  await enqueueAll(db, [at('soon', soon, 0), at('idle', idleStep, idleAfter)]);
}
