import { Refusal } from '../../contract/errors.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { endEarly } from './execute/end-early.ts';
import { findRun } from './read/run.ts';

export const cancelJourneyRun: Verb<'cancelJourneyRun'> = (context, { journeyRunId: runId }) =>
  writeInProject(context, async (db) => {
    const { id } = await findRun({ ...context, db }, runId);
    const finalized = await endEarly(db, id, {
      error: 'canceled',
      errorCode: 'canceled',
      errorMessage: 'The run was cancelled',
    });
    if (finalized !== undefined) {
      await audit(db, context, 'journey-run.cancel', id);
      return { id, status: 'failed', canceled: true as const, alreadyCanceled: false, finalized };
    }
    const run = await findRun({ ...context, db }, runId);
    if (run.error === 'canceled')
      return { id, status: run.status, canceled: true as const, alreadyCanceled: true, finalized: 0 };
    throw new Refusal('CONFLICT', 'The run has already ended, so it cannot be cancelled', {
      details: { reason: 'RUN_OVER', status: run.status },
    });
  });
