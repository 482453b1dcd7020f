/** Why a trial is excluded from a rate. */
export const exclusionKinds = [
  'notTerminal',
  'skipped',
  'setupFailed',
  'cancelled',
  'timedOut',
  'executionFailed',
  'evaluatorError',
] as const;
export type Exclusion = (typeof exclusionKinds)[number];
/** Kinds without trials are absent. */
export type Exclusions = Partial<Record<Exclusion, number>>;

/** A rate and the trials excluded from it. */
export type Rate =
  | { state: 'measured'; value: number; numerator: number; denominator: number; exclusions: Exclusions }
  | { state: 'notMeasured'; value: null; numerator: 0; denominator: 0; exclusions: Exclusions };

export type Verdict = 'passed' | 'failed' | 'inconclusive';

/** In the order of display. */
export const validityReasons = [
  'configuredTrialsNotAttempted',
  'noGradeableTrials',
  'eligibleTrialsBelowMinimum',
  'completionRateBelowMinimum',
  'completionRateNotMeasured',
  'evaluatorErrorRateAboveMaximum',
  'evaluatorErrorRateNotMeasured',
  'caseHasNoEligibleTrials',
] as const;
export type ValidityReason = (typeof validityReasons)[number];
type TaskReason = 'casePassRateMetThreshold' | 'casePassRateBelowThreshold' | 'allMeasuredCasesMetThreshold';
type VerdictReason = ValidityReason | TaskReason;

export interface ValidityPolicy {
  coverage:
    | { kind: 'allConfiguredTrialsAttempted'; minGradeableTrials: 1 }
    | { kind: 'minEligibleTrials'; minEligibleTrials: number };
  minCompletionRate: number;
  maxEvaluatorErrorRate: number;
}

export interface ExecutionVariant {
  model: string;
  provider?: string;
}

export interface CaseDecision {
  caseId: string;
  executionVariant?: ExecutionVariant;
  configuredTrials: number;
  attemptedTrials: number;
  eligibleTrials: number;
  passedTrials: number;
  failedTrials: number;
  effectivePassThreshold: number;
  passRate: Rate;
  completionRate: Rate;
  observedStability: Rate;
  mixedVerdict: boolean;
  verdict: Verdict;
  reason: VerdictReason;
}

/** The verdict of a run under policy version 2. */
export interface VerdictDecision {
  verdictPolicyVersion: 2;
  verdict: Verdict;
  reasons: VerdictReason[];
  validity: {
    policy: ValidityPolicy;
    holds: boolean;
    configuredTrials: number;
    attemptedTrials: number;
    eligibleTrials: number;
    completionRate: Rate;
    evaluatorErrorRate: Rate;
  };
  cases: CaseDecision[];
}
