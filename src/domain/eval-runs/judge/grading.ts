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
import type { ProjectContext, Services } from '../../context/context.ts';
import { actFor } from '../../identity/act-for.ts';
import { judgingRoute } from '../../judging/ask-judge.ts';
import { spendInsight } from '../../limits/insights.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { decideLater } from '../decide-later.ts';
import { gatingJudge, judgeOf } from '../frozen-judge.ts';
import type { RunJudge, RunSnapshot } from '../snapshot.ts';
import { applyJudgement } from './apply.ts';
import { beginJudging, endJudging, judgingTime } from './begin.ts';

type Run = runs.RunRow & { sealedId: string | null };

/**
 * Runs between the last trial and the verdict when a judge gates the run. First call: starts the judgement and sets
 * the run to `grading`. When the judge has finished or timed out: adds its scores to the trials. `ready` means the
 * run can be decided now; otherwise `commit`, if present, must be written.
 */
export async function advanceGatingJudge(
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
    // With no completed trial there is nothing to judge.
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

/** Starts an advisory judgement after the run is over, if its suite says so. */
export async function startAdvisoryJudge(
  services: Services,
  run: Run,
  snapshot: RunSnapshot,
): Promise<Commit> {
  const judge = judgeOf(snapshot);
  const advises = judge.enabled && judge.autoRun && !snapshot.reported && !gatingJudge(snapshot);
  if (!advises || (await services.db.one(judgements.countCompleted, { runId: run.id })).count === 0)
    return async () => {};
  // API keys sent with the run have been forgotten by then.
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
 * Charges the judgement to the user who launched the run, like a request of that user. If refused, there is no
 * judgement, and the reason is returned.
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

/** Ends a judgement under way with the measurements so far. */
export async function stopJudging(db: Db, runId: string, errorCode: string): Promise<void> {
  const judgement = await db.row(judgements.find, { runId });
  if (judgement?.status !== 'pending') return;
  const { request, jobId } = judgement;
  // Locks the job before the judgement, the lock order of a job that ends it.
  if (jobId !== null) await cancelJobs(db, [jobId]);
  const end = { runId, request, status: 'failed', errorCode } as const;
  await endJudging(db, end);
}

/**
 * Ends the judgements of runs about to be deleted with their suite or project, so that no more models are called for
 * them.
 */
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
