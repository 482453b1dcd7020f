import type { CaseDecision, Rate, ValidityPolicy, ValidityReason, VerdictDecision } from './decision.ts';
import {
  attempted,
  completionRate,
  countTrial,
  eligible,
  eligibleRate,
  evaluatorErrorRate,
  newTally,
  sumOf,
  type Tally,
} from './tally.ts';
import { type ConfiguredVariant, policyProblem, type TrialRecord, variantKey } from './trials.ts';

/** The validity settings of a suite. */
export interface WrittenValidity {
  minEligibleTrials?: number | undefined;
  minCompletionRate?: number | undefined;
  maxEvaluatorErrorRate?: number | undefined;
}

export function resolvePolicy(written: WrittenValidity = {}): ValidityPolicy {
  const { minEligibleTrials, minCompletionRate = 0.8, maxEvaluatorErrorRate = 0.1 } = written;
  return {
    coverage:
      minEligibleTrials === undefined
        ? { kind: 'allConfiguredTrialsAttempted', minGradeableTrials: 1 }
        : { kind: 'minEligibleTrials', minEligibleTrials },
    minCompletionRate,
    maxEvaluatorErrorRate,
  };
}

/**
 * Decides a run. First checks whether enough was measured to decide, then whether every case reached its threshold.
 * Throws if `policyProblem` returns a problem.
 */
export function decide(
  policy: ValidityPolicy,
  variants: readonly ConfiguredVariant[],
  trials: readonly TrialRecord[],
): VerdictDecision {
  const problem = policyProblem(variants, trials);
  if (problem !== undefined) throw new Error(problem);
  const tallies = new Map(
    variants.map((variant) => [variantKey(variant), newTally(variant.configuredTrials)]),
  );
  const tallyOf = (of: ConfiguredVariant | TrialRecord): Tally => tallies.get(variantKey(of)) as Tally;
  for (const trial of trials) countTrial(tallyOf(trial), trial);
  const cases = variants.map((variant) => decideCase(variant, tallyOf(variant)));
  const total = sumOf(tallies.values());
  const withheld = reasonsToWithhold(policy, total, cases);
  return {
    verdictPolicyVersion: 2,
    ...outcomeOf(withheld, cases),
    validity: {
      policy,
      holds: withheld.length === 0,
      configuredTrials: total.configured,
      attemptedTrials: attempted(total),
      eligibleTrials: eligible(total),
      completionRate: completionRate(total),
      evaluatorErrorRate: evaluatorErrorRate(total),
    },
    cases,
  };
}

function decideCase(
  { caseId, executionVariant, passThreshold }: ConfiguredVariant,
  tally: Tally,
): CaseDecision {
  const { passed, failed } = tally;
  const passRate = eligibleRate(tally, passed);
  return {
    caseId,
    ...(executionVariant && { executionVariant }),
    configuredTrials: tally.configured,
    attemptedTrials: attempted(tally),
    eligibleTrials: eligible(tally),
    passedTrials: passed,
    failedTrials: failed,
    effectivePassThreshold: passThreshold,
    passRate,
    completionRate: completionRate(tally),
    observedStability: eligibleRate(tally, Math.max(passed, failed)),
    mixedVerdict: passed > 0 && failed > 0,
    ...outcomeOfCase(passRate, passThreshold),
  };
}

function outcomeOfCase(passRate: Rate, threshold: number): Pick<CaseDecision, 'verdict' | 'reason'> {
  if (passRate.state === 'notMeasured') return { verdict: 'inconclusive', reason: 'caseHasNoEligibleTrials' };
  return passRate.value >= threshold
    ? { verdict: 'passed', reason: 'casePassRateMetThreshold' }
    : { verdict: 'failed', reason: 'casePassRateBelowThreshold' };
}

/** Why the measurements are insufficient, in the order of display. */
function reasonsToWithhold(
  { coverage, minCompletionRate, maxEvaluatorErrorRate }: ValidityPolicy,
  total: Tally,
  cases: readonly CaseDecision[],
): ValidityReason[] {
  const completion = completionRate(total).value;
  const errors = evaluatorErrorRate(total).value;
  const all = coverage.kind === 'allConfiguredTrialsAttempted';
  const holds: Readonly<Record<ValidityReason, boolean>> = {
    configuredTrialsNotAttempted: all && attempted(total) < total.configured,
    noGradeableTrials: all && eligible(total) < coverage.minGradeableTrials,
    eligibleTrialsBelowMinimum: !all && eligible(total) < coverage.minEligibleTrials,
    completionRateBelowMinimum: completion !== null && completion < minCompletionRate,
    completionRateNotMeasured: completion === null,
    evaluatorErrorRateAboveMaximum: errors !== null && errors > maxEvaluatorErrorRate,
    evaluatorErrorRateNotMeasured: errors === null,
    caseHasNoEligibleTrials: cases.some(({ eligibleTrials }) => eligibleTrials === 0),
  };
  return (Object.keys(holds) as ValidityReason[]).filter((reason) => holds[reason]);
}

function outcomeOf(
  withheld: readonly ValidityReason[],
  cases: readonly CaseDecision[],
): Pick<VerdictDecision, 'verdict' | 'reasons'> {
  if (withheld.length > 0) return { verdict: 'inconclusive', reasons: [...withheld] };
  return cases.some(({ verdict }) => verdict === 'failed')
    ? { verdict: 'failed', reasons: ['casePassRateBelowThreshold'] }
    : { verdict: 'passed', reasons: ['allMeasuredCasesMetThreshold'] };
}
