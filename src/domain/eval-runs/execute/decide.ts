import type { RunEvent } from '../../../contract/eval-iterations.ts';
import {
  decide,
  legacyResult,
  policyProblem,
  resolvePolicy,
  runWarnings,
  summarizeTrials,
  type VerdictDecision,
} from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as runEvents from '../../../platform/database/queries/eval-run-events.ts';
import * as outcomes from '../../../platform/database/queries/eval-run-outcomes.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import * as suites from '../../../platform/database/queries/eval-suites.ts';
import * as trialRows from '../../../platform/database/queries/eval-trials.ts';
import type { Commit } from '../../../platform/leases/holder.ts';
import type { Services } from '../../context/context.ts';
import { enqueueRunEvent } from '../announce.ts';
import { decideLater } from '../decide-later.ts';
import { isJudged } from '../frozen-judge.ts';
import { integrityOf, scoredTrials } from '../integrity.ts';
import { isOpen } from '../is-open.ts';
import { advanceGatingJudge, startAdvisoryJudge } from '../judge/grading.ts';
import type { RunSnapshot } from '../snapshot.ts';
import type { StoredStages } from '../stored.ts';
import { RunAnalytics } from './analyze.ts';
import { type Judged, statisticsOf } from './statistics.ts';

const pageSize = 500;

/** Adds ended trials to the counts of their runs, and enqueues the decision of runs with no trials left. */
export async function tallyRuns(db: Db, runIds: string[]): Promise<void> {
  if (runIds.length === 0) return;
  await db.transaction(async (trx) => {
    for (const { id, finished, trials } of await trx.rows(trialRows.tally, { runIds }))
      if (finished >= trials) await decideLater(trx, id);
  });
}

/**
 * Computes the verdict of a run; the returned commit stores it, unless the run has gained trials since. If the verdict
 * must wait for the judge, the commit starts the judge, or is undefined once it runs. Undefined if the run is over.
 */
export async function decision(services: Services, runId: string): Promise<Commit | undefined> {
  const { db, clock } = services;
  const run = await db.row(runs.get, { id: runId });
  if (!run || !isOpen(run.status)) return undefined;
  const { snapshot } = (await db.one(runs.snapshot, { runId })) as { snapshot: RunSnapshot };
  const { ready, commit } = await advanceGatingJudge(services, run, snapshot);
  if (!ready) return commit;
  const analytics = new RunAnalytics(snapshot);
  const judged = await judgedTrials(db, runId, analytics);
  const verdict = verdictOf(snapshot, judged);
  const statistics = statisticsOf(snapshot, judged);
  const judgeOnlyAdvised = snapshot.judge?.demoted === true && snapshot.cases.some(isJudged);
  const found = runWarnings(statistics.cases, verdict.end.result === 'passed', {
    judgeOnlyAdvised,
    // Policy 1 counts excluded trials as failed.
    excludesTrials: snapshot.policy === 2,
  });
  const warnings = found.length > 0 ? found : null;
  const scoreIntegrity = integrityOf(await scoredTrials(db, runId, snapshot));
  const completedAt = clock();
  const stages = analytics.of(run, completedAt);
  const advise = await startAdvisoryJudge(services, run, snapshot);
  return async (trx) => {
    await trx.row(runs.queueToEnd, { projectId: run.projectId });
    if (run.status === 'grading') await trx.run(runs.recount, { id: runId });
    // `trials` guards the update: results of a reported run may have arrived meanwhile.
    const end = { id: runId, trials: run.trials, warnings, scoreIntegrity, ...verdict.end };
    const ended = await trx.row(runs.end, end);
    if (!ended) return;
    await trx.run(outcomes.insert, {
      runId,
      suiteId: ended.suiteId,
      runGroupId: ended.runGroupId,
      decision: verdict.decision,
      statistics,
      stages,
      completedAt: ended.completedAt ?? completedAt,
    });
    await settleRun(services, trx, ended, run.sealedId);
    await advise(trx);
  };
}

/**
 * Runs once for every run that is over, however it ended: forgets its keys, updates the totals of its suite, and
 * publishes `run.decided`.
 */
export async function settleRun(
  { vault, clock }: Pick<Services, 'vault' | 'clock'>,
  db: Db,
  run: runs.RunRow,
  sealedId: string | null,
): Promise<void> {
  if (sealedId !== null) await vault.forget(db, sealedId);
  const { id: runId, status, result, passed, failed } = run;
  await db.run(suites.addToTotals, { id: run.suiteId, passed, failed });
  const event: RunEvent = { type: 'run.decided', runId, at: clock(), status, result };
  await db.run(runEvents.addLastEvent, { runId, data: event });
  await db.run(runEvents.announce, { runId });
  await db.run(runEvents.announceEnd, { runId });
  await enqueueRunEvent(db, run);
}

/** Reads the trials page by page for the verdict. Stage details are only counted, not kept in memory. */
async function judgedTrials(db: Db, runId: string, analytics: RunAnalytics): Promise<Judged[]> {
  const all: Judged[] = [];
  for (let after = -1; ; ) {
    const rows = await db.rows(trialRows.judgedAfter, { runId, after, most: pageSize });
    for (const row of rows) {
      analytics.add(row);
      const { caseId, variant, status, result, evaluatorError } = row;
      const { warning } = row.stages as StoredStages;
      all.push({ caseId, variant, status, result, evaluatorError, warning });
    }
    if (rows.length < pageSize) return all;
    after = rows.at(-1)?.position ?? after;
  }
}

interface RunVerdict {
  end: {
    status: runs.RunStatus;
    result: runs.RunResult | null;
    stopReason: string | null;
    error: string | null;
  };
  decision: unknown;
}

/**
 * Verdict by the policy the run was launched with. Under every policy, a run in which no trial could be set up has
 * failed.
 */
function verdictOf(snapshot: RunSnapshot, judged: readonly Judged[]): RunVerdict {
  const stuck = judged.length > 0 && judged.every(({ status }) => status === 'setup_failed');
  const status = stuck ? ('failed' as const) : ('completed' as const);
  const stopReason = stuck ? 'setup_failed' : null;
  if (snapshot.policy === 2) {
    const { decision, problem } = decisionV2(snapshot, judged);
    return {
      end: { status, result: decision?.verdict ?? 'inconclusive', stopReason, error: problem ?? null },
      decision: decision ?? null,
    };
  }
  const { minimumPassRate } = snapshot;
  const summary = summarizeTrials(judged);
  const result = legacyResult(summary, minimumPassRate);
  return {
    end: { status, result: stuck ? null : result, stopReason, error: null },
    decision: stuck
      ? null
      : {
          verdictPolicyVersion: 1,
          verdict: result,
          reasons: [result === 'passed' ? 'passRateMetMinimum' : 'passRateBelowMinimum'],
          minimumPassRate,
          passRate: summary.passRate,
        },
  };
}

function decisionV2(
  snapshot: RunSnapshot,
  judged: readonly Judged[],
): { decision?: VerdictDecision; problem?: string } {
  const variants = snapshot.cases.flatMap(({ id, trials: configuredTrials, passThreshold, variants }) =>
    variants.map((executionVariant) => ({ caseId: id, executionVariant, configuredTrials, passThreshold })),
  );
  const cases = new Map(snapshot.cases.map((one) => [one.id, one]));
  const records = judged.map(({ caseId, variant, status, result, evaluatorError }) => ({
    caseId,
    executionVariant: cases.get(caseId)?.variants[variant],
    status,
    result,
    evaluatorError,
  }));
  const problem = policyProblem(variants, records);
  if (problem !== undefined) return { problem };
  return { decision: decide(resolvePolicy(snapshot.validity), variants, records) };
}
