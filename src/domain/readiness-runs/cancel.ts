import * as runs from '../../platform/database/queries/readiness-runs.ts';
import { cancelJobs } from '../../platform/jobs/queue.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import type { ObservationState } from './present.ts';
import { settled } from './settled.ts';

export const cancelReadinessRun: Verb<'cancelReadinessRun'> = (context, { readinessRunId: id }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    const run = found(await db.row(runs.find, { projectId, id }), 'readiness run');
    // Locks the job before the run, the lock order of a job that ends.
    const job = await db.row(runs.jobOf, { id });
    if (job?.jobId) await cancelJobs(db, [job.jobId]);
    const llmObservations: ObservationState = run.includeLlmObservations
      ? { status: 'not-requested', reason: 'cancelled' }
      : { status: 'not-requested', reason: 'not_requested' };
    const end = { status: 'cancelled', terminalReason: 'cancelled', errorMessage: null } as const;
    const cancelled = await db.row(runs.end, { id, ...end, llmObservations });
    if (!cancelled)
      throw conflict('The run has already ended. Start another one', 'RUN_OVER', { status: run.status });
    await settled(db, cancelled);
    await audit(db, context, 'readiness-run.cancel', id);
    return { runId: id, projectId, status: 'cancelled' as const };
  });
