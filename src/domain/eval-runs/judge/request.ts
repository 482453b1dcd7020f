import { Refusal } from '../../../contract/errors.ts';
import { lexicalJudge } from '../../../evaluation/index.ts';
import { type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { writeInProject } from '../../access.ts';
import { audit } from '../../audit.ts';
import type { ProjectContext } from '../../context.ts';
import { spendInsight } from '../../limits/insights.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { conflict } from '../../refusals.ts';
import type { Verb } from '../../verb.ts';
import { isOpen } from '../is-open.ts';
import { findRun, snapshotOf } from '../read/find.ts';
import { beginJudging } from './begin.ts';
import { judgeOf, judgingRoute } from './frozen.ts';
import { stopJudging } from './grading.ts';

/** What the request leaves out is as the run was launched, whatever an earlier request said. */
export const requestEvalRunJudge: Verb<'requestEvalRunJudge'> = (context, { runId, body }) =>
  writeInProject(context, async (db) => {
    const run = await findRun({ ...context, db }, runId);
    refuseOpen(run);
    const judge = judgeOf(await snapshotOf({ db }, run.id));
    if (!judge.enabled && !body.enable)
      throw conflict('The judge of this suite is switched off. Send enable', 'JUDGE_DISABLED');
    await refuseRepeated(context, db, run, body.force ?? false);
    const route =
      body.model === undefined ? judgingRoute(context.models, judge.model) : named(context, body.model);
    await refuseSpent(context, db, route ? [route] : []);
    await spendInsight(context, db, `judge of eval-run ${run.id}`);
    await beginJudging(context, db, run, {
      model: route?.id ?? lexicalJudge,
      threshold: body.threshold ?? judge.threshold,
      gating: false,
      requestedBy: context.actor.user.id,
    });
    await audit(db, context, 'eval-run.judge', run.id);
    return { runId: run.id, projectId: run.projectId, status: 'pending' as const };
  });

/** What is judged or looked into has to stand still. */
export function refuseOpen({ status }: runs.RunRow): void {
  if (isOpen(status))
    throw conflict(`The run is ${status}. Wait until it is over`, 'RUN_NOT_OVER', { status });
}

/** A judgement that is there, or under way, is given up only for somebody who says so. */
async function refuseRepeated(
  context: ProjectContext,
  db: Db,
  run: runs.RunRow,
  force: boolean,
): Promise<void> {
  // Two requests at once: the second sees what the first has written.
  await db.row(runs.lock, { id: run.id });
  const last = await db.row(judgements.find, { runId: run.id });
  if (!last || last.status === 'failed') return;
  if (!force && last.status === 'pending')
    throw conflict('The run is being judged. Poll it, or send force to begin again', 'JUDGE_PENDING');
  if (!force)
    throw conflict('The run was judged. Read it, or send force to judge it again', 'JUDGE_COMPLETED');
  await stopJudging(db, run.id, 'superseded');
}

/** A model that the caller names is that one or none. */
function named({ models }: ProjectContext, model: string): ModelRoute | undefined {
  const { route, problem } = resolveModel(models, { model });
  if (problem)
    throw new Refusal('VALIDATION_ERROR', `model: ${problem.message}`, {
      details: {
        model: problem.model,
        provider: problem.provider ?? null,
        hostedModels: problem.hostedModels,
      },
    });
  return route.wire === 'rehearsal' ? undefined : route;
}
