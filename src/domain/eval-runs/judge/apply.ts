import {
  type GoalMeasurement,
  type GradedTrial,
  type Score,
  scorecardOf,
  withJudgement,
} from '../../../evaluation/index.ts';
import { byColumn } from '../../../platform/database/columns.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import { casesById, type PlannedCase, type RunSnapshot } from '../snapshot.ts';
import type { StoredStages, TrialDetail } from '../stored.ts';
import { trialPlan } from '../trial-plan.ts';

const pageSize = 200;

/** Applies the scores of the gating judge to every trial it measured. Idempotent. */
export async function applyJudgement(db: Db, runId: string, snapshot: RunSnapshot): Promise<void> {
  const cases = casesById(snapshot);
  for (let after = -1; ; ) {
    const rows = await db.rows(judgements.trialsWithGoal, { runId, after, most: pageSize });
    const changed = rows.flatMap((row) => judged(row, cases.get(row.caseId), snapshot));
    if (changed.length > 0) await db.run(judgements.regrade, { runId, ...byColumn(changed) });
    if (rows.length < pageSize) return;
    after = rows.at(-1)?.position ?? after;
  }
}

function judged(
  row: judgements.GradedRow,
  planned: PlannedCase | undefined,
  snapshot: RunSnapshot,
): judgements.RegradedRow[] {
  if (!planned) return [];
  const detail = row.detail as TrialDetail;
  const stages = row.stages as StoredStages;
  const before: GradedTrial = {
    status: row.status,
    result: row.result,
    evaluatorError: row.evaluatorError,
    scores: detail.scores as Score[],
    stageResults: detail.stageResults,
    firstFailedStage: detail.firstFailedStage,
    failureCategory: detail.failureCategory,
  };
  const scorecard = scorecardOf(trialPlan(planned, snapshot));
  const after = withJudgement(before, scorecard, (row.goal ?? undefined) as GoalMeasurement | undefined);
  if (after === before) return [];
  const { result, evaluatorError, scores, stageResults, firstFailedStage, failureCategory } = after;
  const chain = { firstFailedStage, failureCategory };
  return [
    {
      trialId: row.trialId,
      result,
      evaluatorError,
      detail: storableJson({ ...detail, scores, stageResults, ...chain }),
      stages: storableJson({ ...stages, rows: stageResults, ...chain }),
    },
  ];
}
