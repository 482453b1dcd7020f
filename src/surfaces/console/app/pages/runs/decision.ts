import type { Output } from '../../api/index.ts';
import { count, counted, percent } from '../../kit/numbers.ts';

export type Run = Output<'getEvalRun'>;

interface CaseDecision {
  caseId: string;
  verdict: 'passed' | 'failed' | 'inconclusive';
  reason: string;
  effectivePassThreshold: number;
  executionVariant?: { model: string };
}

/** Verdicts by case ID and model; empty if the run is not decided by case. */
export function caseDecisions({ decision }: Run): Map<string, CaseDecision> {
  const cases = (decision?.['cases'] ?? []) as CaseDecision[];
  return new Map(cases.map((one) => [rowKey(one.caseId, one.executionVariant?.model ?? ''), one]));
}

export function rowKey(caseId: string, model: string): string {
  return `${caseId} ${model}`;
}

/** Describes the outcome of a run in one sentence. */
export function verdictSentence(run: Run): string {
  const { status, progress, decisionSummary } = run;
  const { counts, verdict, undecided } = decisionSummary;
  if (status === 'pending') return `Waiting to start ${counted(progress.trials, 'trial')}.`;
  if (status === 'running')
    return `Running: ${count(progress.finished)} of ${counted(progress.trials, 'trial')} ended.`;
  if (status === 'grading') return 'All trials ended; the judge is running.';
  if (status === 'cancelled')
    return `Cancelled after ${count(progress.finished)} of ${counted(progress.trials, 'trial')}.`;
  if (status === 'timed_out')
    return `Timed out after ${count(progress.finished)} of ${counted(progress.trials, 'trial')}.`;
  const unit = counts?.measurementUnit === 'trial' ? 'trial' : 'case';
  const of = counted(counts?.total ?? 0, unit);
  const warned = run.warnings ? ', with warnings' : '';
  if (verdict === 'passed') return `Passed: ${count(counts?.passed ?? 0)} of ${of} passed${warned}.`;
  if (verdict === 'failed') return `Failed: ${count(counts?.failed ?? 0)} of ${of} did not pass.`;
  if (verdict === 'inconclusive') return 'Inconclusive: too little was measured to decide.';
  return `Not established: ${undecidedLabels[undecided?.reason ?? ''] ?? 'nothing was measured'}.`;
}

const undecidedLabels: Record<string, string> = {
  runStatusNotAVerdict: 'the run did not complete',
  runResultNotAVerdict: 'its result is not a verdict',
  verdictSummaryUnavailable: 'its decision record cannot be read',
};

/** Explains the verdict. Unknown codes of newer services are shown unchanged. */
export function reasonsOf(run: Run): string[] {
  const { decision, error, stopReason, verdictPolicyIntegrityError } = run;
  const validity = decision?.['validity'] as Validity | undefined;
  const codes = (decision?.['reasons'] ?? []) as string[];
  return [
    ...codes.map((code) => reasonText(code, validity)),
    ...(stopReason === undefined ? [] : [stopWords[stopReason] ?? `Stopped early: ${stopReason}.`]),
    ...(error === undefined || error === verdictPolicyIntegrityError ? [] : [error]),
    ...(verdictPolicyIntegrityError === undefined ? [] : [verdictPolicyIntegrityError]),
  ];
}

const stopWords: Record<string, string> = {
  setup_failed: 'Stopped early: no trial could be set up.',
  run_timeout: 'Stopped early: the run timed out.',
  access_ended: 'Stopped early: the account that started the run lost access.',
  never_finalized: 'Stopped early: the reporter never completed it.',
};

interface Validity {
  policy?: { minCompletionRate?: number; maxEvaluatorErrorRate?: number };
  completionRate?: { value: number | null };
  evaluatorErrorRate?: { value: number | null };
  attemptedTrials?: number;
  configuredTrials?: number;
}

function reasonText(code: string, validity: Validity = {}): string {
  const { policy, completionRate, evaluatorErrorRate, attemptedTrials = 0, configuredTrials = 0 } = validity;
  const words: Record<string, string> = {
    casePassRateBelowThreshold: 'At least one case is below its pass threshold.',
    passRateBelowMinimum: 'The pass rate is below the threshold of the suite.',
    passRateMetMinimum: 'The pass rate meets the threshold of the suite.',
    allMeasuredCasesMetThreshold: 'Every case meets its pass threshold.',
    configuredTrialsNotAttempted: `Only ${count(attemptedTrials)} of ${counted(configuredTrials, 'trial')} were attempted.`,
    noGradeableTrials: 'No trial could be graded.',
    eligibleTrialsBelowMinimum: 'Too few trials could be graded.',
    completionRateBelowMinimum: `${rate(completionRate?.value)} of the trials completed; ${rate(policy?.minCompletionRate)} are required.`,
    completionRateNotMeasured: 'The number of completed trials is unknown.',
    evaluatorErrorRateAboveMaximum: `Grading failed for ${rate(evaluatorErrorRate?.value)} of the trials; at most ${rate(policy?.maxEvaluatorErrorRate)} are allowed.`,
    evaluatorErrorRateNotMeasured: 'The number of grading failures is unknown.',
    caseHasNoEligibleTrials: 'At least one case has no graded trial.',
  };
  return words[code] ?? code;
}

function rate(value: number | null | undefined): string {
  return value === null || value === undefined ? 'not measured' : percent(value);
}
