import { countTrial, newStageCount, stageAnalytics, type TrialToCount } from '../../../evaluation/index.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import type { JudgedTrial } from '../../../platform/database/queries/eval-trials.ts';
import type { RunSnapshot } from '../snapshot.ts';
import type { StoredStages } from '../stored.ts';

/**
 * Counts the stages at which the trials of a run failed. Trials are added one at a time, so memory stays constant.
 */
export class RunAnalytics {
  private readonly snapshot: RunSnapshot;
  private readonly cases: ReadonlyMap<string, RunSnapshot['cases'][number]>;
  private readonly count = newStageCount();
  private trials = 0;
  private latest = 0;

  constructor(snapshot: RunSnapshot) {
    this.snapshot = snapshot;
    this.cases = new Map(snapshot.cases.map((one) => [one.id, one]));
  }

  add(trial: JudgedTrial): void {
    this.trials++;
    this.latest = Math.max(this.latest, trial.finishedAt);
    countTrial(this.count, counted(this.snapshot, this.cases, trial));
  }

  of(run: RunRow, now: number): Record<string, unknown> {
    return {
      ...stageAnalytics(this.count),
      runId: run.id,
      suiteId: run.suiteId,
      ...(run.runGroupId !== null && { runGroupId: run.runGroupId }),
      configRevision: String(run.suiteRevision),
      organizationId: run.organizationId,
      projectId: run.projectId,
      runCompletedAt: now,
      sourceIterationCount: this.trials,
      sourceMaxUpdatedAt: this.latest,
      materializationState: 'final',
      createdAt: now,
      updatedAt: now,
    };
  }
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
