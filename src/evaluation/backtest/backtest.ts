import { isObject } from '../../platform/json/is-object.ts';
import { type CheckRow, evaluateCheck, type TurnScope } from '../checks/evaluate.ts';
import type { TrialEvidence, Usage } from '../evidence.ts';
import { canonicalText } from '../json/value.ts';
import type { TrialOutcome } from '../outcome.ts';
import type { TrialPlan } from '../plan.ts';
import { evaluatorErrors, gate } from '../scores/gate.ts';
import type { Score } from '../scores/score.ts';
import { scorecardOf } from '../scores/scorers.ts';
import { gradeTrial } from '../trial.ts';
import { evidenceOfTrace, type StoredTrace } from './rebuild.ts';

/** A graded trial, with its recorded evidence. */
export interface RecordedTrial {
  status: string;
  result: 'passed' | 'failed' | null;
  evaluatorError: boolean;
  trace: StoredTrace | undefined;
  usage: Usage | undefined;
  steps: TrialOutcome['steps'];
  /** Results of checks, as recorded when the trial was graded. */
  rows: readonly unknown[];
  scores: readonly Score[];
}

export type Backtested =
  | { outcome: 'ungradable'; reason: string }
  | {
      outcome: 'same' | 'flipped';
      before: 'passed' | 'failed';
      after: 'passed' | 'failed';
      reasons: string[];
    };

const maxReasons = 5;

/**
 * Grades a recorded trial with another plan. Compares only if the recorded evidence still yields the original result
 * under the original plan. Recorded results of checks replace new ones.
 */
export function backtestTrial(frozen: TrialPlan, draft: TrialPlan, trial: RecordedTrial): Backtested {
  const refuse = (reason: string): Backtested => ({ outcome: 'ungradable', reason });
  const { status, result: before, trace, usage } = trial;
  if (status !== 'completed' || before === null) return refuse('The trial did not complete');
  if (trial.evaluatorError) return refuse('The trial could not be graded in the run');
  const evidence = trace && evidenceOfTrace(trace, usage);
  if (!evidence) return refuse('The recorded evidence is not sufficient to grade the trial again');
  const graded = regrade(frozen, trial, evidence);
  if (graded.result !== before || graded.errors.length > 0)
    return refuse('The recorded evidence gives a different result under the rules of the run');
  const { result: after, errors, failing } = regrade(draft, trial, evidence);
  if (errors[0] !== undefined) return refuse(`The draft needs evidence that was not recorded: ${errors[0]}`);
  return {
    outcome: after === before ? 'same' : 'flipped',
    before,
    after,
    reasons: failing.slice(0, maxReasons),
  };
}

interface Regraded {
  result: 'passed' | 'failed';
  errors: string[];
  failing: string[];
}

function regrade(
  plan: TrialPlan,
  { steps, rows, scores: then }: RecordedTrial,
  evidence: TrialEvidence,
): Regraded {
  const known = new Map(rows.flatMap((row) => (isRow(row) ? [[keyOf(row), row] as const] : [])));
  const evaluate = (check: unknown, of: TrialEvidence, scope?: TurnScope): CheckRow => {
    const row = evaluateCheck(check, of, scope);
    return known.get(keyOf(row)) ?? row;
  };
  const { definitions, judge } = scorecardOf(plan);
  const grade = gradeTrial(plan, { status: 'completed', evidence, steps }, evaluate);
  // Judge scores are kept: they do not depend on the checks.
  const scores = [...grade.scores, ...then.filter(({ definitionHash }) => definitionHash === judge?.hash)];
  const { passed, failed } = gate(definitions, scores);
  const errors = [...new Set([...grade.evaluatorErrors, ...evaluatorErrors(definitions, scores)])];
  const failing = scores.filter(({ scorerId, passed: met }) => met === false && failed.includes(scorerId));
  return {
    result: passed && grade.result === 'passed' ? 'passed' : 'failed',
    errors,
    failing: failing.map(({ scorerId, rationale = '' }) => `${scorerId}: ${rationale}`.slice(0, 500)),
  };
}

function isRow(value: unknown): value is CheckRow {
  return isObject(value) && 'predicate' in value && typeof value['passed'] === 'boolean';
}

function keyOf({ predicate, scope }: CheckRow): string {
  return `${scope?.promptIndex ?? ''} ${canonicalText(predicate) ?? ''}`;
}
