import type { Output } from '../../api/index.ts';
import { count, counted, percent } from '../../kit/numbers.ts';
import type { State } from '../../kit/state.tsx';

export type JourneyRun = Output<'getJourneyRun'>;
export type Session = Output<'listJourneyRunSessions'>['items'][number];
export type Attempt = NonNullable<JourneyRun['attempts']>[number];
type Verdict = NonNullable<Session['verdict']>;

/** State of a session, with a label if it differs from the default. */
export interface SessionStatus {
  state: State;
  word: string | undefined;
}

/** Based on the verdict if graded, otherwise on the status. */
export function sessionStatusOf(
  { status, errorCode }: Pick<Attempt, 'status' | 'errorCode'>,
  verdict: Verdict | undefined,
): SessionStatus {
  if (status === 'pending' || status === 'running') return { state: status, word: undefined };
  if (errorCode === 'canceled') return { state: 'cancelled', word: undefined };
  if (status === 'rate_limited')
    return {
      state: 'timedOut',
      word: errorCode === 'spend_cap_exceeded' ? 'over budget' : 'rate limited by the provider',
    };
  if (status === 'failed') return { state: 'setupFailed', word: 'aborted' };
  if (verdict?.verdict === 'passed' || verdict?.verdict === 'failed' || verdict?.verdict === 'inconclusive')
    return { state: verdict.verdict, word: undefined };
  if (verdict && isBeingGraded(verdict)) return { state: 'grading', word: undefined };
  return { state: 'notEstablished', word: 'completed, not graded' };
}

/** Whether grading is in progress. */
function isBeingGraded({ grading, graders }: Verdict): boolean {
  return (
    grading.state === 'queued' ||
    grading.state === 'running' ||
    graders.criteria === 'pending' ||
    graders.judge === 'pending'
  );
}

const reasons: Record<Verdict['reason'], string> = {
  attemptPending: 'Not started.',
  attemptRunning: 'In progress.',
  withdrawn: 'Cancelled.',
  spendCapReached: 'Not run: spend cap reached.',
  notRun: 'Not run: rate limited by the provider.',
  executionFailed: 'The session aborted, so the goal could not be assessed.',
  ungraded: 'Not graded: the journey has no rubric and no judge.',
  gradingNotClaimed: 'Waiting for grading.',
  criteriaPending: 'Criteria are being graded.',
  judgePending: 'The judge is running.',
  gatingCriterionFailed: 'A required criterion was not met.',
  judgeFailed: 'The judge found the goal not reached.',
  criteriaGradingErrored: 'Criteria grading failed.',
  gatingCriterionUnmeasured: 'A required criterion could not be measured.',
  judgeErrored: 'The judge failed.',
  gradingUnavailable: 'The session could not be graded.',
  allGatingCriteriaPassed: 'All required criteria were met.',
  judgePassed: 'The judge found the goal reached.',
  allGradersPassed: 'All required criteria were met, and the judge found the goal reached.',
};

/** Explains the verdict in a sentence. */
export function reasonText({ reason }: Verdict): string {
  return reasons[reason] ?? reason;
}

export function stateOfJourneyRun({
  status,
  canceled,
  verdictSummary: summary,
}: Pick<JourneyRun, 'status' | 'canceled' | 'verdictSummary'>): State {
  if (status === 'running') return 'running';
  if (canceled) return 'cancelled';
  if (summary?.status === 'decided') return summary.decision.verdict;
  if (summary?.status === 'pending') return 'grading';
  if (summary?.status === 'integrityFailed') return 'attention';
  return 'notEstablished';
}

/** Whether sessions or grades are pending. */
export function isUnderWay({ status, verdictSummary }: JourneyRun): boolean {
  return status === 'running' || verdictSummary?.status === 'pending';
}

type Summary = JourneyRun['summary'];

/** Number of ended sessions. */
export function endedOf({ succeeded, failed, rateLimited }: Summary): number {
  return succeeded + failed + rateLimited;
}

/** Describes how the sessions of a run ended. */
export function summaryText(summary: Summary): string {
  const { total, succeeded, failed, rateLimited } = summary;
  return [
    `${count(succeeded)} of ${counted(total, 'session')} completed`,
    ...(failed > 0 ? [`${count(failed)} aborted`] : []),
    ...(rateLimited > 0 ? [`${count(rateLimited)} stopped by a limit`] : []),
  ].join(', ');
}

/** Describes the outcome of a run in one sentence. */
export function outcomeSentence(run: JourneyRun): string {
  const { status, canceled, stale, summary, verdictSummary: decided } = run;
  const ended = `${count(endedOf(summary))} of ${counted(summary.total, 'session')}`;
  if (status === 'running') return `Running: ${ended} ended.`;
  if (canceled) return `Cancelled after ${ended}.`;
  if (stale) return `The worker stopped; the run ended after ${ended}.`;
  if (decided?.status === 'pending')
    return `All sessions ended; ${counted(decided.pendingSessions, 'session')} being graded.`;
  if (decided?.status === 'integrityFailed') return `No verdict: ${decided.reason}.`;
  if (decided?.status !== 'decided')
    return 'Not established: the journey has no rubric and no judge, so there is no verdict.';
  return sentences[decided.decision.verdict];
}

const sentences = {
  passed: 'Passed.',
  failed: 'Failed.',
  inconclusive: 'Inconclusive: too little was measured to decide.',
};

interface TargetDecision {
  caseId: string;
  verdict: 'passed' | 'failed' | 'inconclusive';
  effectivePassThreshold: number;
}

/** Verdicts by target ID; each target is a case of the decision. */
export function targetDecisions({ verdictSummary }: JourneyRun): Map<string, TargetDecision> {
  if (verdictSummary?.status !== 'decided') return new Map();
  const cases = (verdictSummary.decision['cases'] ?? []) as TargetDecision[];
  return new Map(cases.map((one) => [one.caseId, one]));
}

const decided: Record<string, string> = {
  casePassRateBelowThreshold: 'At least one target is below its pass threshold.',
  allMeasuredCasesMetThreshold: 'Every target meets its pass threshold.',
  configuredTrialsNotAttempted: 'Not all sessions ran.',
  noGradeableTrials: 'No session could be graded.',
  eligibleTrialsBelowMinimum: 'Too few sessions could be graded.',
  completionRateBelowMinimum: 'Too many sessions aborted.',
  completionRateNotMeasured: 'The number of completed sessions is unknown.',
  evaluatorErrorRateAboveMaximum: 'Grading failed for too many sessions.',
  evaluatorErrorRateNotMeasured: 'The number of grading failures is unknown.',
  caseHasNoEligibleTrials: 'At least one target has no graded session.',
};

/** Explains the verdict. Unknown codes of newer services are shown unchanged. */
export function decisionReasons({ verdictSummary }: JourneyRun): string[] {
  if (verdictSummary?.status !== 'decided') return [];
  return verdictSummary.decision.reasons.map((code) => decided[code] ?? code);
}

export function share(part: number, whole: number): string {
  return whole === 0 ? 'not measured' : percent(Math.round((part / whole) * 100) / 100);
}
