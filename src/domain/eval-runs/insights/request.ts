import * as insights from '../../../platform/database/queries/eval-insights.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { writeInProject } from '../../access.ts';
import { audit } from '../../audit.ts';
import { spendInsight } from '../../limits/insights.ts';
import { conflict } from '../../refusals.ts';
import type { Verb } from '../../verb.ts';
import { refuseOpen } from '../judge/request.ts';
import { findRun } from '../read/find.ts';

export const findInsights = 'find-eval-run-insights';

export const requestEvalRunInsights: Verb<'requestEvalRunInsights'> = (context, { runId, body }) =>
  writeInProject(context, async (db) => {
    const run = await findRun({ ...context, db }, runId);
    refuseOpen(run);
    // Two requests at once: the second sees what the first has written.
    await db.row(runs.lock, { id: run.id });
    const last = await db.row(insights.find, { runId: run.id });
    if (last?.status === 'pending' && !body.force)
      throw conflict(
        'Insights are on their way. Poll the run, or send force to begin again',
        'INSIGHTS_PENDING',
      );
    if (last?.status === 'completed' && !body.force)
      throw conflict('The run has its insights. Read it, or send force to ask again', 'INSIGHTS_COMPLETED');
    await spendInsight(context, db, `insights of eval-run ${run.id}`);
    const userId = context.actor.user.id;
    const { request } = await db.one(insights.begin, { runId: run.id, requestedBy: userId });
    const onBehalfOf = { organizationId: run.organizationId, userId };
    const uniqueKey = `${run.id} ${request}`;
    await enqueue(db, findInsights, { runId: run.id, request }, { uniqueKey, onBehalfOf });
    await audit(db, context, 'eval-run.insights', run.id);
    return { runId: run.id, projectId: run.projectId, status: 'pending' as const };
  });
