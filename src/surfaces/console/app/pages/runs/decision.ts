import type { Output } from '../../../../client/index.ts';
import { count, counted, percent } from '../../kit/numbers.ts';

export type Run = Output<'getEvalRun'>;

interface CaseDecision {
  caseId: string;
  verdict: 'passed' | 'failed' | 'inconclusive';
  reason: string;
  effectivePassThreshold: number;
  executionVariant?: { model: string };
}

/** The verdict of each case, by its id and model; none where the run is not decided case by case. */
export function caseDecisions({ decision }: Run): Map<string, CaseDecision> {
  const cases = (decision?.['cases'] ?? []) as CaseDecision[];
  return new Map(cases.map((one) => [rowKey(one.caseId, one.executionVariant?.model ?? ''), one]));
}

export function rowKey(caseId: string, model: string): string {
  return `${caseId} ${model}`;
}

/** What came of a run, in one sentence. */
export function verdictSentence(run: Run): string {
  const { status, progress, decisionSummary } = run;
  const { counts, verdict, undecided } = decisionSummary;
  if (status === 'pending') return `Waiting to start ${counted(progress.trials, 'trial')}.`;
  if (status === 'running')
    return `Running: ${count(progress.finished)} of ${counted(progress.trials, 'trial')} ended.`;
  if (status === 'grading') return 'All trials ended; the judge is at work.';
  if (status === 'cancelled')
    return `Cancelled after ${count(progress.finished)} of ${counted(progress.trials, 'trial')}.`;
  if (status === 'timed_out')
    return `Out of time after ${count(progress.finished)} of ${counted(progress.trials, 'trial')}.`;
  const unit = counts?.measurementUnit === 'trial' ? 'trial' : 'case';
  const of = counted(counts?.total ?? 0, unit);
  const warned = run.warnings ? ', with warnings' : '';
  if (verdict === 'passed') return `Passed: ${count(counts?.passed ?? 0)} of ${of} passed${warned}.`;
  if (verdict === 'failed') return `Failed: ${count(counts?.failed ?? 0)} of ${of} did not pass.`;
  if (verdict === 'inconclusive') return 'Inconclusive: too little was measured to decide.';
  return `Not established: ${undecidedWords[undecided?.reason ?? ''] ?? 'nothing was measured'}.`;
}

const undecidedWords: Record<string, string> = {
  runStatusNotAVerdict: 'the run did not come to its end',
  runResultNotAVerdict: 'its result is no verdict',
  verdictSummaryUnavailable: 'how it was decided cannot be read',
};

/** Why, in words; codes of newer services stay as they are. */
export function reasonsOf(run: Run): string[] {
  const { decision, error, stopReason, verdictPolicyIntegrityError } = run;
  const validity = decision?.['validity'] as Validity | undefined;
  const codes = (decision?.['reasons'] ?? []) as string[];
  return [
    ...codes.map((code) => reasonWords(code, validity)),
    ...(stopReason === undefined ? [] : [stopWords[stopReason] ?? `It stopped early: ${stopReason}.`]),
    ...(error === undefined || error === verdictPolicyIntegrityError ? [] : [error]),
    ...(verdictPolicyIntegrityError === undefined ? [] : [verdictPolicyIntegrityError]),
  ];
}

const stopWords: Record<string, string> = {
  setup_failed: 'It stopped early: no trial could be set up.',
  run_timeout: 'It stopped early: its time was over.',
  access_ended: 'It stopped early: it was cancelled.',
  never_finalized: 'It stopped early: whoever reported it never said that it was complete.',
};

interface Validity {
  policy?: { minCompletionRate?: number; maxEvaluatorErrorRate?: number };
  completionRate?: { value: number | null };
  evaluatorErrorRate?: { value: number | null };
  attemptedTrials?: number;
  configuredTrials?: number;
}

function reasonWords(code: string, validity: Validity = {}): string {
  const { policy, completionRate, evaluatorErrorRate, attemptedTrials = 0, configuredTrials = 0 } = validity;
  const words: Record<string, string> = {
    casePassRateBelowThreshold: 'At least one case passed less often than it has to.',
    passRateBelowMinimum: 'Fewer trials passed than the suite asks for.',
    passRateMetMinimum: 'As many trials passed as the suite asks for.',
    allMeasuredCasesMetThreshold: 'Every case passed as often as it has to.',
    configuredTrialsNotAttempted: `Only ${count(attemptedTrials)} of ${counted(configuredTrials, 'trial')} were attempted.`,
    noGradeableTrials: 'No trial came so far that it could be judged.',
    eligibleTrialsBelowMinimum: 'Fewer trials could be judged than are asked for.',
    completionRateBelowMinimum: `${rate(completionRate?.value)} of the trials came to an end; ${rate(policy?.minCompletionRate)} are asked for.`,
    completionRateNotMeasured: 'How many trials came to an end is not known.',
    evaluatorErrorRateAboveMaximum: `Judging failed for ${rate(evaluatorErrorRate?.value)} of the trials; at most ${rate(policy?.maxEvaluatorErrorRate)} are allowed.`,
    evaluatorErrorRateNotMeasured: 'How often judging failed is not known.',
    caseHasNoEligibleTrials: 'Of at least one case no trial could be judged.',
  };
  return words[code] ?? code;
}

function rate(value: number | null | undefined): string {
  return value === null || value === undefined ? 'not measured' : percent(value);
}
