import { countTrial, newStageCount, stageAnalytics, type TrialToCount } from '../../../evaluation/index.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import type { JudgedTrial } from '../../../platform/database/queries/eval-trials.ts';
import type { RunSnapshot } from '../snapshot.ts';
import type { StoredStages } from './record.ts';

/** At which stages the trials of a run failed, as counts. */
export function analyticsOf(
  snapshot: RunSnapshot,
  run: RunRow,
  judged: readonly JudgedTrial[],
  now: number,
): Record<string, unknown> {
  const count = newStageCount();
  const cases = new Map(snapshot.cases.map((one) => [one.id, one]));
  let latest = 0;
  for (const trial of judged) {
    latest = Math.max(latest, trial.finishedAt);
    countTrial(count, counted(snapshot, cases, trial));
  }
  return {
    ...stageAnalytics(count),
    runId: run.id,
    suiteId: run.suiteId,
    ...(run.runGroupId !== null && { runGroupId: run.runGroupId }),
    configRevision: String(run.suiteRevision),
    organizationId: run.organizationId,
    projectId: run.projectId,
    runCompletedAt: now,
    sourceIterationCount: judged.length,
    sourceMaxUpdatedAt: latest,
    materializationState: 'final',
    createdAt: now,
    updatedAt: now,
  };
}

function counted(
  { client }: RunSnapshot,
  cases: ReadonlyMap<string, RunSnapshot['cases'][number]>,
  { caseId, variant, status, evaluatorError, stages }: JudgedTrial,
): TrialToCount {
  const { rows, firstFailedStage, failureCategory, analyzerVersion, setup, stageMs } = stages as StoredStages;
  const planned = cases.get(caseId);
  const model = planned?.variants[variant];
  return {
    status,
    evaluatorError,
    intent: planned?.intent ?? null,
    ...(model && { model }),
    ...(client && { host: { hostKey: client.id, hostName: client.name, executionEngine: 'emulated' } }),
    stageResults: rows,
    firstFailedStage,
    failureCategory,
    stageAnalyzerVersion: analyzerVersion,
    stageMs,
    setup,
  };
}
