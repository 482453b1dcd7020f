import { Refusal } from '../../../contract/errors.ts';
import { lexicalJudge } from '../../../evaluation/index.ts';
import { type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { conflict } from '../../base/refusals.ts';
import { writeInProject } from '../../context/access.ts';
import { audit } from '../../context/audit.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { judgingRoute } from '../../judging/ask-judge.ts';
import { spendInsight } from '../../limits/insights.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { findRun, snapshotOf } from '../find.ts';
import { judgeOf } from '../frozen-judge.ts';
import { isOpen } from '../is-open.ts';
import { beginJudging } from './begin.ts';
import { stopJudging } from './grading.ts';

/** Settings the request omits come from the launched run, not from earlier judge requests. */
export const requestEvalRunJudge: Verb<'requestEvalRunJudge'> = (context, { runId, body }) =>
  writeInProject(context, async (db) => {
    const run = await findRun({ ...context, db }, runId);
    refuseOpen(run);
    const judge = judgeOf(await snapshotOf({ db }, run.id));
    if (!judge.enabled && !body.enable)
      throw conflict(
        'The judge was disabled when this run was launched. Send "enable": true to run it anyway',
        'JUDGE_DISABLED',
      );
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

/** Judging and insights read the trials of a run, which must not change meanwhile. */
export function refuseOpen({ status }: runs.RunRow): void {
  if (isOpen(status))
    throw conflict(`The run is ${status}. Wait until it has ended`, 'RUN_NOT_OVER', { status });
}

/** An existing judgement is replaced only with `force`. */
async function refuseRepeated(
  context: ProjectContext,
  db: Db,
  run: runs.RunRow,
  force: boolean,
): Promise<void> {
  // The lock makes the second of two concurrent requests see the first one's judgement.
  await db.row(runs.lock, { id: run.id });
  const last = await db.row(judgements.find, { runId: run.id });
  if (!last || last.status === 'failed') return;
  if (!force && last.status === 'pending')
    throw conflict('The run is being judged. Poll it, or send "force": true to start again', 'JUDGE_PENDING');
  if (!force)
    throw conflict('The run was judged. Read it, or send "force": true to judge it again', 'JUDGE_COMPLETED');
  await stopJudging(db, run.id, 'superseded');
}

/** The model named by the caller, without fallback to another one; undefined for the offline (lexical) judge. */
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
