import type { GoalMeasurement } from '../judging/measurement.ts';
import { judgeTemplateHash } from '../judging/template.ts';
import type { FailureCategory, Stage, StageResult } from '../stage.ts';
import { cut } from '../text/show.ts';
import { evaluatorErrors, gate } from './gate.ts';
import { notScored, type Score, scored } from './score.ts';
import type { Scorecard } from './scorers.ts';

/** A trial as graded before its judge ran. */
export interface GradedTrial {
  status: string;
  result: 'passed' | 'failed' | null;
  evaluatorError: boolean;
  scores: readonly Score[];
  stageResults: readonly StageResult[];
  firstFailedStage?: Stage | undefined;
  failureCategory?: FailureCategory | undefined;
}

/**
 * Adds the result of the gating judge to a graded trial, unless its score is already there. If the judge failed or
 * timed out, a completed trial becomes an evaluator error.
 */
export function withJudgement(
  trial: GradedTrial,
  { definitions, judge }: Scorecard,
  goal: GoalMeasurement | undefined,
): GradedTrial {
  if (
    !judge ||
    trial.result === null ||
    trial.scores.some(({ definitionHash }) => definitionHash === judge.hash)
  )
    return trial;
  const score = scoreOf(judge, trial, goal);
  const scores = [...trial.scores, { ...score, promptHash: judgeTemplateHash }];
  // The judge's score can add an evaluator error but not remove one.
  const evaluatorError =
    trial.status === 'completed' && (trial.evaluatorError || evaluatorErrors(definitions, scores).length > 0);
  const result = trial.result === 'passed' && gate(definitions, scores).passed ? 'passed' : 'failed';
  return { ...trial, result, evaluatorError, scores, ...chainWith(trial, score) };
}

function scoreOf(
  judge: NonNullable<Scorecard['judge']>,
  { status }: GradedTrial,
  goal: GoalMeasurement | undefined,
): Score {
  if (status !== 'completed') return notScored(judge, 'not_applicable', 'The trial did not complete');
  if (!goal) return notScored(judge, 'error', 'The judge did not respond in time');
  if (goal.status === 'scored') return scored(judge, goal.score, goal.reason, goal.rubricHits);
  return notScored(judge, goal.status, goal.reason);
}

/** Updates only a stage that waits for the judge; a failure before it stays the first failure. */
function chainWith(
  { stageResults, firstFailedStage, failureCategory }: GradedTrial,
  { status, passed, rationale = '' }: Score,
): Pick<GradedTrial, 'stageResults' | 'firstFailedStage' | 'failureCategory'> {
  const waits = stageResults.some(({ reason }) => reason === 'judgePending');
  if (!waits) return { stageResults, firstFailedStage, failureCategory };
  const row = (result: Omit<StageResult, 'stage'>): StageResult[] =>
    stageResults.map((one) => (one.reason === 'judgePending' ? { stage: one.stage, ...result } : one));
  if (status !== 'scored')
    return {
      stageResults: row({ state: 'notMeasured', reason: 'judgeFailed' }),
      failureCategory: 'evaluator',
    };
  if (passed) return { stageResults: row({ state: 'passed', reason: 'judgeObserved' }), failureCategory };
  return {
    stageResults: row({
      state: 'failed',
      reason: 'judgeObserved',
      evidence: { predicateReasons: [cut(rationale, 500)] },
    }),
    firstFailedStage: 'userValue',
    failureCategory: 'userValue',
  };
}
