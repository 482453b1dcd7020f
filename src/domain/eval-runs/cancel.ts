import { Refusal } from '../../contract/errors.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { endEarly } from './execute/end-early.ts';
import { findRun } from './find.ts';
import { presentRun } from './read/run.ts';

export const cancelEvalRun: Verb<'cancelEvalRun'> = (context, { runId }) =>
  writeInProject(context, async (db) => {
    const { id } = await findRun({ ...context, db }, runId);
    await audit(db, context, 'eval-run.cancel', id);
    const end = { status: 'cancelled', stopReason: 'user_cancelled' } as const;
    const ended = await endEarly(context, db, id, end);
    if (ended) return presentRun(ended, 0);
    const run = await findRun({ ...context, db }, runId);
    if (run.status === 'cancelled') return presentRun(run, 0);
    throw new Refusal('CONFLICT', `Cannot cancel a run that already ${ending[run.status] ?? 'ended'}`, {
      details: { reason: 'RUN_OVER', status: run.status },
    });
  });

const ending: Record<string, string> = {
  completed: 'completed',
  failed: 'failed',
  timed_out: 'timed out',
};
