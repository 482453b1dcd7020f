import type {
  CaseDecision,
  Exclusion,
  Exclusions,
  ExecutionVariant,
  Rate,
  ValidityPolicy,
  ValidityReason,
  VerdictDecision,
} from './decision.ts';

/** What the author of a suite may set. */
export interface WrittenValidity {
  minEligibleTrials?: number | undefined;
  minCompletionRate?: number | undefined;
  maxEvaluatorErrorRate?: number | undefined;
}

/** A case as it is run with one model, and what is asked of it. */
export interface ConfiguredVariant {
  caseId: string;
  executionVariant?: ExecutionVariant | undefined;
  configuredTrials: number;
  passThreshold: number;
}

/** One repetition of a variant, as far as it has come. */
export interface TrialRecord {
  caseId: string;
  executionVariant?: ExecutionVariant | undefined;
  status:
    | 'pending'
    | 'running'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'timed_out'
    | 'setup_failed'
    | 'skipped';
  result: 'passed' | 'failed' | null;
  evaluatorError: boolean;
}

const mostCases = 500;
const mostRows = 50_000;
const mostTrials = 100;
const caseIdPattern = /^[A-Za-z0-9_-]{1,128}$/;

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

/** Why there can be no decision about these. */
export function policyProblem(
  variants: readonly ConfiguredVariant[],
  trials: readonly TrialRecord[],
): string | undefined {
  if (variants.length === 0) return 'No case is configured';
  if (variants.length > mostRows || trials.length > mostRows * mostTrials) return 'There are too many trials';
  const configured = new Map<string, number>();
  const keyed = new Map<string, boolean>();
  for (const variant of variants) {
    const { caseId, executionVariant, configuredTrials, passThreshold } = variant;
    if (!caseIdPattern.test(caseId)) return `A case has the id ${JSON.stringify(caseId.slice(0, 128))}`;
    if (!(Number.isInteger(configuredTrials) && configuredTrials >= 1 && configuredTrials <= mostTrials))
      return `Case ${caseId} is configured for ${configuredTrials} trials`;
    if (!(passThreshold >= 0 && passThreshold <= 1)) return `Case ${caseId} has no threshold from 0 to 1`;
    const key = keyOf(variant);
    if (configured.has(key)) return `Case ${caseId} is configured twice for the same model`;
    configured.set(key, configuredTrials);
    const hasVariant = executionVariant !== undefined;
    if ((keyed.get(caseId) ?? hasVariant) !== hasVariant)
      return `Case ${caseId} is configured both with and without a model`;
    keyed.set(caseId, hasVariant);
  }
  if (keyed.size > mostCases) return `There are more than ${mostCases} cases`;
  for (const trial of trials) {
    const left = configured.get(keyOf(trial));
    if (left === undefined)
      return `There is a trial of case ${trial.caseId.slice(0, 128)}, which is not configured for it`;
    if (left === 0) return `Case ${trial.caseId} has more trials than are configured`;
    configured.set(keyOf(trial), left - 1);
  }
  return undefined;
}

/**
 * Decides a run case by case. First it is asked whether enough was measured to decide at all; only then whether every
 * case reached its threshold. Throws where `policyProblem` has something to say.
 */
export function decide(
  policy: ValidityPolicy,
  variants: readonly ConfiguredVariant[],
  trials: readonly TrialRecord[],
): VerdictDecision {
  const problem = policyProblem(variants, trials);
  if (problem !== undefined) throw new Error(problem);
  const tallies = new Map(variants.map((variant) => [keyOf(variant), newTally(variant.configuredTrials)]));
  for (const trial of trials) count(tallies.get(keyOf(trial)) as Tally, trial);
  const cases = variants.map((variant) => decideCase(variant, tallies.get(keyOf(variant)) as Tally));
  const total = sum([...tallies.values()]);
  const completionRate = completionRateOf(total);
  const evaluatorErrorRate = rate(total.excluded.evaluatorError ?? 0, total.completed, total.excluded, [
    'notTerminal',
    'skipped',
    'setupFailed',
    'cancelled',
    'timedOut',
    'executionFailed',
  ]);
  const reasons = validityReasonsOf(policy, total, completionRate, evaluatorErrorRate, cases);
  return {
    verdictPolicyVersion: 2,
    ...outcomeOf(reasons, cases),
    validity: {
      policy,
      holds: reasons.length === 0,
      configuredTrials: total.configured,
      attemptedTrials: attempted(total),
      eligibleTrials: total.passed + total.failed,
      completionRate,
      evaluatorErrorRate,
    },
    cases,
  };
}

interface Tally {
  configured: number;
  completed: number;
  passed: number;
  failed: number;
  excluded: Exclusions;
}

/** What is configured and was never reported has not ended. */
function newTally(configured: number): Tally {
  return { configured, completed: 0, passed: 0, failed: 0, excluded: { notTerminal: configured } };
}

const exclusionOfStatus: Readonly<Record<Exclude<TrialRecord['status'], 'completed'>, Exclusion>> = {
  pending: 'notTerminal',
  running: 'notTerminal',
  skipped: 'skipped',
  setup_failed: 'setupFailed',
  cancelled: 'cancelled',
  timed_out: 'timedOut',
  failed: 'executionFailed',
};

/** A trial that ended and was given no verdict is one that the evaluator could not judge. */
function count(tally: Tally, { status, result, evaluatorError }: TrialRecord): void {
  const { excluded } = tally;
  excluded.notTerminal = (excluded.notTerminal ?? 0) - 1;
  if (status === 'completed') tally.completed++;
  if (status === 'completed' && !evaluatorError && result !== null) tally[result]++;
  else {
    const exclusion = status === 'completed' ? 'evaluatorError' : exclusionOfStatus[status];
    excluded[exclusion] = (excluded[exclusion] ?? 0) + 1;
  }
}

function sum(tallies: readonly Tally[]): Tally {
  const total: Tally = { configured: 0, completed: 0, passed: 0, failed: 0, excluded: {} };
  for (const { configured, completed, passed, failed, excluded } of tallies) {
    total.configured += configured;
    total.completed += completed;
    total.passed += passed;
    total.failed += failed;
    for (const [kind, number] of Object.entries(excluded) as [Exclusion, number][])
      total.excluded[kind] = (total.excluded[kind] ?? 0) + number;
  }
  return total;
}

function attempted({ configured, excluded }: Tally): number {
  return configured - (excluded.notTerminal ?? 0) - (excluded.skipped ?? 0) - (excluded.cancelled ?? 0);
}

function decideCase(variant: ConfiguredVariant, tally: Tally): CaseDecision {
  const { passed, failed } = tally;
  const eligible = passed + failed;
  const passRate = rate(passed, eligible, tally.excluded, allExclusions);
  return {
    caseId: variant.caseId,
    ...(variant.executionVariant && { executionVariant: variant.executionVariant }),
    configuredTrials: tally.configured,
    attemptedTrials: attempted(tally),
    eligibleTrials: eligible,
    passedTrials: passed,
    failedTrials: failed,
    effectivePassThreshold: variant.passThreshold,
    passRate,
    completionRate: completionRateOf(tally),
    observedStability: rate(Math.max(passed, failed), eligible, tally.excluded, allExclusions),
    mixedVerdict: passed > 0 && failed > 0,
    ...caseOutcome(passRate, variant.passThreshold),
  };
}

function caseOutcome(passRate: Rate, threshold: number): Pick<CaseDecision, 'verdict' | 'reason'> {
  if (passRate.state === 'notMeasured') return { verdict: 'inconclusive', reason: 'caseHasNoEligibleTrials' };
  return passRate.value >= threshold
    ? { verdict: 'passed', reason: 'casePassRateMetThreshold' }
    : { verdict: 'failed', reason: 'casePassRateBelowThreshold' };
}

const allExclusions: readonly Exclusion[] = [
  'notTerminal',
  'skipped',
  'setupFailed',
  'cancelled',
  'timedOut',
  'executionFailed',
  'evaluatorError',
];

/** Of those that were attempted, whatever then came of them. */
function completionRateOf(tally: Tally): Rate {
  return rate(tally.completed, attempted(tally), tally.excluded, ['notTerminal', 'skipped', 'cancelled']);
}

function rate(
  numerator: number,
  denominator: number,
  excluded: Exclusions,
  left: readonly Exclusion[],
): Rate {
  const exclusions = Object.fromEntries(
    left.filter((kind) => excluded[kind]).map((kind) => [kind, excluded[kind]]),
  ) as Exclusions;
  return denominator === 0
    ? { state: 'notMeasured', value: null, numerator: 0, denominator: 0, exclusions }
    : { state: 'measured', value: numerator / denominator, numerator, denominator, exclusions };
}

function validityReasonsOf(
  { coverage, minCompletionRate, maxEvaluatorErrorRate }: ValidityPolicy,
  total: Tally,
  completionRate: Rate,
  evaluatorErrorRate: Rate,
  cases: readonly CaseDecision[],
): ValidityReason[] {
  const eligible = total.passed + total.failed;
  const covers = coverage.kind === 'allConfiguredTrialsAttempted';
  const holds: Readonly<Record<ValidityReason, boolean>> = {
    configuredTrialsNotAttempted: covers && attempted(total) < total.configured,
    noGradeableTrials: covers && eligible < coverage.minGradeableTrials,
    eligibleTrialsBelowMinimum: !covers && eligible < coverage.minEligibleTrials,
    completionRateBelowMinimum:
      completionRate.state === 'measured' && completionRate.value < minCompletionRate,
    completionRateNotMeasured: completionRate.state === 'notMeasured',
    evaluatorErrorRateAboveMaximum:
      evaluatorErrorRate.state === 'measured' && evaluatorErrorRate.value > maxEvaluatorErrorRate,
    evaluatorErrorRateNotMeasured: evaluatorErrorRate.state === 'notMeasured',
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

function keyOf({ caseId, executionVariant }: Pick<TrialRecord, 'caseId' | 'executionVariant'>): string {
  return JSON.stringify([caseId, executionVariant?.model, executionVariant?.provider]);
}
