import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { InputOf, OutputOf } from '../../../contract/operation.ts';
import { basisOf, lexicalJudge } from '../../../evaluation/index.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import { timeoutSignal } from '../../../platform/flow/deadline.ts';
import { forEachConcurrent } from '../../../platform/flow/for-each.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { type Judge, JudgeUnavailable, judgingRoute } from '../../judging/ask-judge.ts';
import { spendInsight } from '../../limits/insights.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { SpendCapReached } from '../../limits/spend-cap.ts';
import { partsForRequest } from '../../model-calls/request-parts.ts';
import { maxJudged } from '../judge/begin.ts';
import { judgeOf } from '../judge/frozen.ts';
import { measureTrial, type StoredGoal } from '../judge/measure.ts';
import { measured } from '../judge/read.ts';
import { refuseOpen } from '../judge/request.ts';
import { findRun, snapshotOf } from '../read/find.ts';
import { casesById, type RunSnapshot } from '../snapshot.ts';
import { type BacktestSession, pageOf, reserve } from './reservation.ts';

type Rubric = InputOf<Operations['backtestEvalRunJudge']>['body']['rubric'];
type Page = OutputOf<Operations['backtestEvalRunJudge']>;

/** Trials per page, concurrent judge calls, and the milliseconds a page may take. */
const pageSize = 8;
const lanes = 4;
const deadline = 60_000;

export const backtestEvalRunJudge: Verb<'backtestEvalRunJudge'> = async (context, input) => {
  const { rubric, continuation } = input.body;
  const run = await findRun(context, input.runId);
  refuseOpen(run);
  const reservation = await reserve(context, run, {
    kind: 'judge',
    draft: { rubric },
    continued: continuation,
    admit: (db) => spendInsight(context, db, `judge backtest of eval-run ${run.id}`),
  });
  return pageOf(context, reservation, () => judgePage(context, run, rubric, reservation));
};

async function judgePage(
  context: ProjectContext,
  run: RunRow,
  rubric: Rubric,
  { id: reservationId, sourceHash, cursor }: BacktestSession,
): Promise<{ page: Page; next: number }> {
  const { db, models } = context;
  const snapshot = await snapshotOf(context, run.id);
  const { model } = judgeOf(snapshot);
  const route = judgingRoute(models, model);
  await refuseSpent(context, db, route ? [route] : []);
  const all = await db.rows(judgements.candidates, { runId: run.id });
  all.sort((a, b) => a.number - b.number || a.position - b.position);
  const population = all.slice(0, maxJudged);
  const page = population.slice(cursor, cursor + pageSize);
  const { id, organizationId, projectId } = run;
  const purpose = { reason: `judge backtest of eval-run ${id}`, actor: context.actor.user.id };
  const judge: Judge = {
    parts: partsForRequest(context, organizationId),
    asker: { id, organizationId, projectId, apiKeys: {}, purpose },
    route,
  };
  const cases = await tried(context, judge, snapshot, rubric, page);
  const done = cursor + page.length;
  const answer: Page = {
    ok: cases.every(({ status }) => status !== 'error'),
    cases,
    basis: basisOf(route?.id ?? lexicalJudge),
    cursor: done,
    sourceHash,
    reservationId,
    isDone: done >= population.length,
  };
  return { page: answer, next: done };
}

/** Judges each case with the drafted rubric and pairs the new result with the recorded one. */
async function tried(
  context: ProjectContext,
  judge: Judge,
  snapshot: RunSnapshot,
  rubric: Rubric,
  page: readonly judgements.CandidateRow[],
): Promise<Page['cases']> {
  const { db } = context;
  const planned = casesById(snapshot);
  const { threshold } = judgeOf(snapshot);
  const late = timeoutSignal(deadline);
  const results = new Map<string, Record<string, unknown>>();
  try {
    await forEachConcurrent(
      page,
      lanes,
      AbortSignal.any([late, context.callerGone()]),
      async (row, signal) => {
        const one = planned.get(row.caseId);
        const { title = '', expectedOutput, isNegative = false } = one ?? {};
        const task = { title, expectedOutput, isNegative, rubric };
        const { goal } = await measureTrial(judge, row.id, task, signal);
        const before = await db.row(judgements.judged, { trialId: row.id });
        const { rubricHits } = goal;
        const { status, errorCode, reason, ...said } = measured(goal, threshold);
        results.set(row.id, {
          caseKey: one?.declaredId ?? row.caseId,
          iterationId: row.id,
          title,
          status,
          reason,
          ...(errorCode !== undefined && { errorCode }),
          current: before ? measured(before.goal as StoredGoal, threshold) : null,
          draft: status === 'scored' ? { ...said, rubricHits } : null,
        });
      },
    );
  } catch (error) {
    if (late.aborted) throw new Refusal('TIMEOUT', `The judge took longer than ${deadline / 1000} s`);
    if (error instanceof JudgeUnavailable && error.failure instanceof SpendCapReached)
      throw error.failure.refusal;
    if (error instanceof JudgeUnavailable)
      throw new Refusal('SERVER_UNREACHABLE', `The judge is unavailable: ${error.message}`);
    throw error;
  }
  return page.map(({ id }) => results.get(id) ?? {});
}
