import * as runs from '../../platform/database/queries/conformance-runs.ts';
import { cancelJobs } from '../../platform/jobs/queue.ts';
import { conflict } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { findConformanceRun, isOpen, lockConformanceRun } from './find.ts';
import { presentConformanceRun } from './present.ts';
import { settle } from './settle.ts';

export const cancelConformanceRun: Verb<'cancelConformanceRun'> = (context, { conformanceRunId }) =>
  writeInProject(context, async (db) => {
    const { project } = context;
    const { hosted, jobId } = await findConformanceRun({ db, project }, conformanceRunId);
    if (!hosted)
      throw conflict('This run is reported by another system. Finalize it instead', 'NOT_A_HOSTED_RUN');
    // Locks the job before the run, the lock order of a job that ends.
    if (jobId !== null) await cancelJobs(db, [jobId]);
    const run = await lockConformanceRun(db, project.id, conformanceRunId);
    if (!isOpen(run)) throw conflict(`The run is already ${run.status}`, 'RUN_OVER', { status: run.status });
    const ended = await settle(db, run, { status: 'cancelled', reason: 'cancelled' });
    await audit(db, context, 'conformance-run.cancel', run.id);
    return presentConformanceRun(ended, await db.rows(runs.reportsOf, { runIds: [run.id] }));
  });
