import { Refusal } from '../../../contract/errors.ts';
import type { RunEvent } from '../../../contract/eval-iterations.ts';
import { lexicalJudge } from '../../../evaluation/index.ts';
import { type ApiKeys, resolveModel } from '../../../models/resolve.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import * as runEvents from '../../../platform/database/queries/eval-run-events.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import { cancelJobs } from '../../../platform/jobs/queue.ts';
import type { Commit } from '../../../platform/leases/holder.ts';
import type { ProjectContext, Services } from '../../context.ts';
import { actFor } from '../../identity/act-for.ts';
import { spendInsight } from '../../limits/insights.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { decideLater } from '../execute/decide-later.ts';
import type { RunJudge, RunSnapshot } from '../snapshot.ts';
import { applyJudgement } from './apply.ts';
import { beginJudging, endJudging, judgingTime } from './begin.ts';
import { gatingJudge, judgeOf, judgingRoute } from './frozen.ts';

type Run = runs.RunRow & { sealedId: string | null };

/**
 * What comes between the last trial and the verdict of a run that a judge decides about: first the judge is asked, and
 * the run is `grading`; when the judge was heard, or its time is over, its scores are added to the trials. `ready`: the
 * run can be decided now; otherwise there may be something to write.
 */
export async function heardJudge(
  services: Services,
  run: Run,
  snapshot: RunSnapshot,
): Promise<{ ready: boolean; commit?: Commit }> {
  const judge = gatingJudge(snapshot);
  if (!judge) return { ready: true };
  const { db, clock } = services;
  const { id: runId } = run;
  if (run.status !== 'grading') {
    const { count } = await db.one(judgements.countCompleted, { runId });
    // Of nothing that ran there is nothing to judge.
    return count === 0 ? { ready: true } : { ready: false, commit: await grade(services, run, judge, count) };
  }
  const judgement = await db.row(judgements.find, { runId });
  if (judgement?.status === 'pending') {
    if (judgement.deadlineAt > clock()) return { ready: false };
    await db.transaction((trx) => stopJudging(trx, run.id, 'deadline_exceeded'));
  }
  await applyJudgement(db, runId, snapshot);
  return { ready: true };
}

async function grade(services: Services, run: Run, judge: RunJudge, trials: number): Promise<Commit> {
  const { clock } = services;
  const charge = await chargeFor(services, run, judge);
  return async (trx) => {
    const deadlineAt = clock() + judgingTime;
    if (!(await trx.row(runs.grade, { id: run.id, deadlineAt }))) return;
    const refused = await charge(trx);
    const { resolved: model, threshold } = judge;
    const wanted = { model, threshold, gating: true, requestedBy: run.startedBy, refused };
    await beginJudging(services, trx, run, wanted);
    const event: RunEvent = { type: 'run.grading', runId: run.id, at: clock(), trials };
    await trx.run(runEvents.addLastEvent, { runId: run.id, data: event });
    await trx.run(runEvents.announce, { runId: run.id });
    if (refused !== undefined) await decideLater(trx, run.id, 'graded');
  };
}

/** A judge that decides nothing is asked by itself once the run is over, where its suite says so. */
export async function adviseAfter(services: Services, run: Run, snapshot: RunSnapshot): Promise<Commit> {
  const judge = judgeOf(snapshot);
  const advises = judge.enabled && judge.autoRun && !snapshot.reported && !gatingJudge(snapshot);
  if (!advises || (await services.db.one(judgements.countCompleted, { runId: run.id })).count === 0)
    return async () => {};
  // Keys that the run brought are gone by then.
  const resolved = judgingRoute(services.models, judge.model)?.id ?? lexicalJudge;
  const charge = await chargeFor(services, { ...run, sealedId: null }, { ...judge, resolved });
  return async (trx) => {
    const refused = await charge(trx);
    const { threshold } = judge;
    const wanted = { model: resolved, threshold, gating: false, requestedBy: run.startedBy, refused };
    await beginJudging(services, trx, run, wanted);
  };
}

/**
 * Takes what a request would take, on behalf of whoever launched the run. Without it there is no judgement; the answer
 * is why.
 */
async function chargeFor(
  services: Services,
  run: Run,
  judge: RunJudge,
): Promise<(db: Db) => Promise<string | undefined>> {
  const { db, vault, models } = services;
  const { id, organizationId, projectId, startedBy, sealedId } = run;
  const apiKeys = sealedId === null ? {} : ((await vault.open(db, sealedId)) as ApiKeys);
  const { route } = resolveModel(models, { model: judge.resolved }, apiKeys);
  const account = { organizationId, userId: startedBy, projectId, requestId: `judge ${id}` };
  let context: ProjectContext;
  try {
    context = await actFor(services, 'requestEvalRunJudge', account);
  } catch (error) {
    const refused = wordOf(error);
    return async () => refused;
  }
  return async (trx) => {
    try {
      await refuseSpent(context, trx, route ? [route] : []);
      await spendInsight(context, trx, `judge of eval-run ${id}`);
      return undefined;
    } catch (error) {
      return wordOf(error);
    }
  };
}

function wordOf(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  const word = error.details?.['limit'] ?? error.details?.['reason'];
  return typeof word === 'string' ? word : error.code;
}

/** Ends a judgement that is under way, with what was measured so far. */
export async function stopJudging(db: Db, runId: string, errorCode: string): Promise<void> {
  const judgement = await db.row(judgements.find, { runId });
  if (judgement?.status !== 'pending') return;
  const { request, jobId } = judgement;
  // The job before the judgement, the order in which a job that ends it takes them.
  if (jobId !== null) await cancelJobs(db, [jobId]);
  const end = { runId, request, status: 'failed', errorCode } as const;
  await endJudging(db, end);
}

/** Of runs that are about to be removed, with their suite or their project: nobody is asked about them any more. */
export async function stopJudgings(
  { db }: Pick<Services, 'db'>,
  ownerId: string,
  signal: AbortSignal,
): Promise<void> {
  for (const run of await db.rows(judgements.pendingOf, { ownerId })) {
    signal.throwIfAborted();
    await db.transaction((trx) => stopJudging(trx, run.id, 'run_removed'));
  }
}
