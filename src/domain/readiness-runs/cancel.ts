import * as runs from '../../platform/database/queries/readiness-runs.ts';
import { cancelJobs } from '../../platform/jobs/queue.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import { conflict, found } from '../refusals.ts';
import type { Verb } from '../verb.ts';
import type { ObservationState } from './present.ts';
import { settled } from './settled.ts';

export const cancelReadinessRun: Verb<'cancelReadinessRun'> = (context, { readinessRunId: id }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    const run = found(await db.row(runs.find, { projectId, id }), 'readiness run');
    // The job before the run, the order in which a job that ends takes them.
    const job = await db.row(runs.jobOf, { id });
    if (job?.jobId) await cancelJobs(db, [job.jobId]);
    const llmObservations: ObservationState = run.includeLlmObservations
      ? { status: 'not-requested', reason: 'cancelled' }
      : { status: 'not-requested', reason: 'not_requested' };
    const end = { status: 'cancelled', terminalReason: 'cancelled', errorMessage: null } as const;
    const cancelled = await db.row(runs.end, { id, ...end, llmObservations });
    if (!cancelled)
      throw conflict('The run is over. Start another one to look again', 'RUN_OVER', { status: run.status });
    await settled(db, cancelled);
    await audit(db, context, 'readiness-run.cancel', id);
    return { runId: id, projectId, status: 'cancelled' as const };
  });
