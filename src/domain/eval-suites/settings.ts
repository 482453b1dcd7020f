import type { z } from 'zod';
import type { Check } from '../../contract/eval-checks.ts';
import type { GatePolicy } from '../../contract/eval-gates.ts';
import type { PassCriteria, updateEvalSuite } from '../../contract/eval-suites.ts';
import type { InputOf } from '../../contract/operation.ts';
import { type PublicMatchOptions, publicMatchOptions, seededChecks } from '../../evaluation/index.ts';
import { invalid } from '../base/refusals.ts';
import { checkList } from './cases/definition.ts';
import { oneSpelling, storedCheck, type Vocabulary } from './cases/vocabulary.ts';

/** Judging settings of a suite in stored form. */
export interface SuiteSettings {
  /** 1: one pass rate for the whole run. 2: a threshold per case. */
  policy: 1 | 2;
  /** Percent; policy 1 only. */
  minimumPassRate?: number;
  /** Policy 2 only. */
  repetitions?: number;
  passThreshold?: number;
  validity?: Validity;
  minimumIterations?: number;
  matchOptions?: PublicMatchOptions;
  checks: Check[];
  judge: Judge;
  qualityGate?: z.output<typeof GatePolicy>;
}

export interface Validity {
  minEligibleTrials?: number | undefined;
  minCompletionRate?: number | undefined;
  maxEvaluatorErrorRate?: number | undefined;
}

export interface Judge {
  enabled: boolean;
  model: string;
  autoRun: boolean;
  threshold: number;
  severity?: 'warn';
  rubric?: { criteria: { id: string; label: string; description?: string; required?: boolean }[] };
}

export const defaultJudge: Judge = {
  enabled: true,
  model: 'openai/gpt-5.4-mini',
  autoRun: false,
  threshold: 0.7,
};

export function minimumOf(criteria: z.output<typeof PassCriteria> | undefined): number | undefined {
  return criteria?.minimumPassRatePercent ?? criteria?.minimumPassRate;
}

export function newSettings(given: {
  passCriteria?: z.output<typeof PassCriteria> | undefined;
  repetitions?: number | undefined;
  passThreshold?: number | undefined;
}): SuiteSettings {
  const { repetitions, passThreshold } = given;
  const shared = { checks: [...seededChecks], judge: defaultJudge };
  if (repetitions !== undefined && passThreshold !== undefined)
    return { policy: 2, repetitions, passThreshold, ...shared };
  const minimumPassRate = minimumOf(given.passCriteria);
  return { policy: 1, ...(minimumPassRate !== undefined && { minimumPassRate }), ...shared };
}

type Changes = NonNullable<InputOf<typeof updateEvalSuite>['body']['settings']>;

/** Applies a request's changes to the settings. */
export function changedSettings(
  before: SuiteSettings,
  changes: Changes,
  vocabulary: Vocabulary,
): SuiteSettings {
  const after = withPolicy(before, changes);
  const { minimumIterations, matchOptions } = changes;
  if (minimumIterations === null) delete after.minimumIterations;
  else if (minimumIterations !== undefined) after.minimumIterations = minimumIterations;
  if (matchOptions === null) delete after.matchOptions;
  else if (matchOptions) after.matchOptions = { ...after.matchOptions, ...publicMatchOptions(matchOptions) };
  const checks = oneSpelling(changes, ['checks', 'defaultAssertions', 'defaultPredicates'], 'settings.');
  if (checks) {
    const path = `settings.${checks.name}`;
    after.checks = (checks.value ?? []).map((check, index) =>
      storedCheck(check, vocabulary, `${path}.${index}`),
    );
    checkList(after.checks, path);
  }
  if (changes.qualityGate === null) delete after.qualityGate;
  else if (changes.qualityGate) after.qualityGate = changes.qualityGate;
  if (changes.judge) after.judge = withJudge(after.judge, changes.judge);
  return after;
}

/** Sending count and threshold together switches a suite to policy 2; there is no way back to policy 1. */
function withPolicy(before: SuiteSettings, changes: Changes): SuiteSettings {
  const repetitions = oneSpelling(changes, ['repetitions', 'iterations'], 'settings.')?.value;
  const { passThreshold, minimumAccuracy, validity } = changes;
  const perCase = repetitions !== undefined || passThreshold !== undefined;
  if (perCase && minimumAccuracy !== undefined)
    throw invalid(
      'settings.minimumAccuracy: Cannot be combined with repetitions or passThreshold. Send minimumAccuracy alone, or omit it',
    );
  if (before.policy === 2) {
    if (minimumAccuracy !== undefined)
      throw invalid('settings.minimumAccuracy: This suite decides each case separately. Send passThreshold');
    return {
      ...before,
      ...(repetitions !== undefined && { repetitions }),
      ...(passThreshold !== undefined && { passThreshold }),
      ...(validity && { validity: { ...before.validity, ...validity } }),
    };
  }
  if (!perCase) {
    if (validity) throw invalid('settings.validity: Only for a suite that decides each case separately');
    return { ...before, ...(minimumAccuracy !== undefined && { minimumPassRate: minimumAccuracy }) };
  }
  if (repetitions === undefined || passThreshold === undefined)
    throw invalid('settings: Send repetitions and passThreshold together to decide each case separately');
  const { minimumPassRate: _, ...rest } = before;
  return { ...rest, policy: 2, repetitions, passThreshold, ...(validity && { validity }) };
}

export function withJudge(before: Judge, changes: NonNullable<Changes['judge']>): Judge {
  const { severity, rubric, ...rest } = changes;
  const after = { ...before, ...rest } as Judge;
  if (severity === null) delete after.severity;
  else if (severity !== undefined) after.severity = severity;
  if (rubric === null) delete after.rubric;
  else if (rubric !== undefined) after.rubric = rubric as NonNullable<Judge['rubric']>;
  return after;
}
