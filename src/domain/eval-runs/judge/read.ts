import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import {
  basisOf,
  type GoalMeasurement,
  type GroundednessMeasurement,
  judgeTemplateHash,
  judgeTemplateVersion,
} from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as judgements from '../../../platform/database/queries/eval-judgements.ts';
import { maxJudged } from './begin.ts';
import type { StoredGoal } from './measure.ts';

type Judges = OutputOf<Operations['getEvalRun']>['judges'];

const notAsked = {
  status: null,
  errorCode: null,
  summary: null,
  generatedAt: null,
  modelUsed: null,
  threshold: null,
  cases: [],
};

/** The judge results of a run. Measurements are shown once the judgement is over, even if it failed. */
export async function judgesOf(db: Db, runId: string): Promise<Judges> {
  const judgement = await db.row(judgements.find, { runId });
  if (!judgement) return { goalCompletion: notAsked, groundedness: notAsked };
  const { status, threshold } = judgement;
  const counts = await db.one(judgements.counts, { runId, threshold });
  const rows =
    status === 'pending' ? [] : await db.rows(judgements.list, { runId, after: -1, most: maxJudged });
  const over = status !== 'pending';
  const state = {
    status,
    errorCode: judgement.errorCode,
    generatedAt: judgement.generatedAt,
    modelUsed: judgement.model,
    basis: basisOf(judgement.model),
    advisory: !judgement.gating,
    threshold,
  };
  const preface = state.basis === 'wordCount' ? 'Advisory (offline judge): ' : '';
  const { scored, errors, skipped, passed, groundednessScored, groundednessErrors, grounded } = counts;
  // One question asks for both scores, and an answer may contain only one of them.
  const groundless = status === 'completed' && groundednessScored === 0 && groundednessErrors > 0;
  return {
    goalCompletion: {
      ...state,
      summary: over
        ? `${preface}${scored === 0 ? 'No trial could be judged' : `${passed} of ${scored} judged trials reached their goal`}${besides(counts, judgement)}`
        : null,
      progress: {
        total: judgement.total + judgement.skipped,
        completed: scored,
        errors,
        skipped: skipped + judgement.skipped,
      },
      judgeTemplateVersion,
      judgeTemplateHash,
      cases: rows.map((row) => goalCase(row, threshold)),
    },
    groundedness: {
      ...state,
      ...(groundless && { status: 'failed' as const, errorCode: 'no_usable_answer' }),
      summary: over
        ? groundednessScored === 0
          ? `${preface}No answer could be judged`
          : `${preface}${grounded} of ${groundednessScored} judged answers are grounded`
        : null,
      cases: rows.map((row) => groundednessCase(row, threshold)),
    },
  };
}

function besides(
  { errors, skipped }: { errors: number; skipped: number },
  judgement: judgements.JudgementRow,
): string {
  const left = skipped + judgement.skipped;
  const parts = [
    ...(errors > 0 ? [`${errors} could not be judged`] : []),
    ...(left > 0 ? [`${left} were left out`] : []),
  ];
  return parts.length === 0 ? '' : `; ${parts.join(', ')}`;
}

function goalCase(
  row: judgements.JudgedTrialRow,
  threshold: number,
): Judges['goalCompletion']['cases'][number] {
  const { status, score, reason, errorCode, ...rest } = row.goal as StoredGoal;
  return {
    ...placeOf(row),
    ...measured({ status, score, reason, errorCode }, threshold),
    ...rest,
  };
}

function groundednessCase(
  row: judgements.JudgedTrialRow,
  threshold: number,
): Judges['groundedness']['cases'][number] {
  const { unsupportedClaims, ...measurement } = row.groundedness as GroundednessMeasurement;
  return { ...placeOf(row), ...measured(measurement, threshold), unsupportedClaims };
}

function placeOf({ caseKey, trialId }: judgements.JudgedTrialRow): { caseKey: string; iterationId: string } {
  return { caseKey, iterationId: trialId };
}

interface Measured {
  status: GoalMeasurement['status'];
  score?: number | undefined;
  reason: string;
  errorCode?: string | undefined;
}

/** A measurement in the form of the judge's case list. */
export function measured(
  { status, score, reason, errorCode }: Measured,
  threshold: number,
): { status: Measured['status']; score: number | null; passed: boolean; reason: string; errorCode?: string } {
  return {
    status,
    score: score ?? null,
    passed: score !== undefined && score >= threshold,
    reason,
    ...(errorCode !== undefined && { errorCode }),
  };
}
