import type { Output } from '../../../../client/index.ts';
import { count, counted, percent } from '../../kit/numbers.ts';
import type { State } from '../../kit/state.tsx';

export type JourneyRun = Output<'getJourneyRun'>;
export type Session = Output<'listJourneyRunSessions'>['items'][number];
export type Attempt = NonNullable<JourneyRun['attempts']>[number];
type Verdict = NonNullable<Session['verdict']>;

/** How a session stands, with the word where it is not the usual one. */
export interface Standing {
  state: State;
  word: string | undefined;
}

/** As it was graded; without that, how running it went. */
export function standingOf(
  { status, errorCode }: Pick<Attempt, 'status' | 'errorCode'>,
  verdict: Verdict | undefined,
): Standing {
  if (status === 'pending' || status === 'running') return { state: status, word: undefined };
  if (errorCode === 'canceled') return { state: 'cancelled', word: undefined };
  if (status === 'rate_limited')
    return {
      state: 'timedOut',
      word: errorCode === 'spend_cap_exceeded' ? 'over budget' : 'limited by the provider',
    };
  if (status === 'failed') return { state: 'setupFailed', word: 'broke off' };
  if (verdict?.verdict === 'passed' || verdict?.verdict === 'failed' || verdict?.verdict === 'inconclusive')
    return { state: verdict.verdict, word: undefined };
  if (verdict && isGraded(verdict)) return { state: 'grading', word: undefined };
  return { state: 'notEstablished', word: 'ran, not graded' };
}

/** Whether a grader is still at work on it. */
function isGraded({ grading, graders }: Verdict): boolean {
  return (
    grading.state === 'queued' ||
    grading.state === 'running' ||
    graders.criteria === 'pending' ||
    graders.judge === 'pending'
  );
}

const reasons: Record<Verdict['reason'], string> = {
  attemptPending: 'It has not begun.',
  attemptRunning: 'It is under way.',
  withdrawn: 'It was cancelled.',
  spendCapReached: 'The budget was used up before it could run.',
  notRun: 'It was not run: the provider allowed no more.',
  executionFailed: 'It broke off, so that nothing can be said about the goal.',
  ungraded: 'Nothing grades this journey: it has no rubric and no judge.',
  gradingNotClaimed: 'Nobody has begun to grade it.',
  criteriaPending: 'Its criteria are being looked at.',
  judgePending: 'The judge is at work.',
  gatingCriterionFailed: 'A criterion that decides was not met.',
  judgeFailed: 'The judge says that the goal was not reached.',
  criteriaGradingErrored: 'Grading by the criteria failed.',
  gatingCriterionUnmeasured: 'A criterion that decides could not be measured.',
  judgeErrored: 'The judge failed.',
  gradingUnavailable: 'It could not be graded.',
  allGatingCriteriaPassed: 'Every criterion that decides was met.',
  judgePassed: 'The judge says that the goal was reached.',
  allGradersPassed: 'Every criterion that decides was met, and the judge says that the goal was reached.',
};

/** Why, in a sentence. */
export function reasonWords({ reason }: Verdict): string {
  return reasons[reason] ?? reason;
}

/** What a run comes to: its verdict, before that how far it is. */
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

/** Whether more is to come: sessions, or their grades. */
export function isUnderWay({ status, verdictSummary }: JourneyRun): boolean {
  return status === 'running' || verdictSummary?.status === 'pending';
}

type Summary = JourneyRun['summary'];

/** Sessions that are over. */
export function endedOf({ succeeded, failed, rateLimited }: Summary): number {
  return succeeded + failed + rateLimited;
}

/** How the sessions of a run ended. */
export function summaryWords(summary: Summary): string {
  const { total, succeeded, failed, rateLimited } = summary;
  return [
    `${count(succeeded)} of ${counted(total, 'session')} ran to the end`,
    ...(failed > 0 ? [`${count(failed)} broke off`] : []),
    ...(rateLimited > 0 ? [`${count(rateLimited)} were limited`] : []),
  ].join(', ');
}

/** What came of a run, in one sentence. */
export function outcomeSentence(run: JourneyRun): string {
  const { status, canceled, stale, summary, verdictSummary: decided } = run;
  const ended = `${count(endedOf(summary))} of ${counted(summary.total, 'session')}`;
  if (status === 'running') return `Running: ${ended} ended.`;
  if (canceled) return `Cancelled after ${ended}.`;
  if (stale) return `Nobody worked on it any more; it was ended after ${ended}.`;
  if (decided?.status === 'pending')
    return `All sessions ended; ${counted(decided.pendingSessions, 'session')} being graded.`;
  if (decided?.status === 'integrityFailed') return `No verdict: ${decided.reason}.`;
  if (decided?.status !== 'decided')
    return 'Not established: the journey has no rubric and no judge, so nothing decides.';
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

/** The verdict of each target, by its id; a target is a case of the decision. */
export function targetDecisions({ verdictSummary }: JourneyRun): Map<string, TargetDecision> {
  if (verdictSummary?.status !== 'decided') return new Map();
  const cases = (verdictSummary.decision['cases'] ?? []) as TargetDecision[];
  return new Map(cases.map((one) => [one.caseId, one]));
}

const decided: Record<string, string> = {
  casePassRateBelowThreshold: 'With at least one target fewer sessions passed than have to.',
  allMeasuredCasesMetThreshold: 'With every target as many sessions passed as have to.',
  configuredTrialsNotAttempted: 'Not every session was run.',
  noGradeableTrials: 'No session came so far that it could be graded.',
  eligibleTrialsBelowMinimum: 'Fewer sessions could be graded than are asked for.',
  completionRateBelowMinimum: 'Too many sessions broke off.',
  completionRateNotMeasured: 'How many sessions ran to the end is not known.',
  evaluatorErrorRateAboveMaximum: 'Grading failed for too many sessions.',
  evaluatorErrorRateNotMeasured: 'How often grading failed is not known.',
  caseHasNoEligibleTrials: 'With at least one target no session could be graded.',
};

/** Why it was decided so, in words; codes of newer services stay as they are. */
export function decisionReasons({ verdictSummary }: JourneyRun): string[] {
  if (verdictSummary?.status !== 'decided') return [];
  return verdictSummary.decision.reasons.map((code) => decided[code] ?? code);
}

export function share(part: number, whole: number): string {
  return whole === 0 ? 'not measured' : percent(Math.round((part / whole) * 100) / 100);
}
