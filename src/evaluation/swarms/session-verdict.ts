import type { verdictReasons } from '../../contract/journey-verdicts.ts';
import type { Verdict } from '../verdict/decision.ts';
import { lifecycleOf, type SessionFacts, type SessionLifecycle } from './facts.ts';

export type SwarmVerdict = Verdict | 'notEstablished';

type Reason = (typeof verdictReasons)[number];

interface Graders {
  criteria: 'notConfigured' | 'notClaimed' | 'pending' | 'scored' | 'errored';
  judge: 'notConfigured' | 'silent' | 'pending' | 'scored' | 'errored';
}

interface Grading {
  state: 'notRequested' | 'queued' | 'running' | 'settled' | 'unavailable';
  reasonCode?: string;
}

/** Counts of criteria. Gating ones are passed, failed or unmeasured. */
interface Counts {
  gating: number;
  gatingPassed: number;
  gatingFailed: number;
  gatingUnmeasured: number;
  advisoryFailed: number;
}

/** The session as a trial of its target. */
interface Trial {
  status: 'pending' | 'running' | 'completed' | 'failed' | 'setup_failed' | 'cancelled';
  taskVerdict?: 'passed' | 'failed';
  evaluatorError?: true;
}

/** The verdict of a session, and its origin. */
export interface SwarmSessionVerdict {
  contractVersion: 1;
  lifecycle: SessionLifecycle;
  verdict: SwarmVerdict;
  reason: Reason;
  verdictSource: 'goalJudge' | 'requiredAssertions' | 'combined' | 'none';
  grading: Grading;
  graders: Graders;
  counts: Counts;
  /** Null: the session does not count as a trial. */
  trial: Trial | null;
}

type Outcome = Pick<SwarmSessionVerdict, 'verdict' | 'reason' | 'verdictSource'>;

export function sessionVerdict(facts: SessionFacts): SwarmSessionVerdict {
  const lifecycle = lifecycleOf(facts);
  const graders = gradersOf(facts, lifecycle);
  const counts = countsOf(facts);
  const outcome = outcomeOf(facts, lifecycle, graders, counts);
  return {
    contractVersion: 1,
    lifecycle,
    ...outcome,
    grading: gradingOf(lifecycle, graders),
    graders,
    counts,
    trial: trialOf(facts, lifecycle, outcome),
  };
}

/** Whether the session is over and its verdict still waits for a grader that can change it. */
export function waitsForGrading({ reason }: SwarmSessionVerdict): boolean {
  return reason === 'gradingNotClaimed' || reason === 'criteriaPending' || reason === 'judgePending';
}

/** Graders of a rate-limited or withdrawn session that have not run will not run. */
function gradersOf({ criteria, judge }: SessionFacts, lifecycle: SessionLifecycle): Graders {
  const over = lifecycle === 'limited' || lifecycle === 'withdrawn';
  return { criteria: criteriaState(criteria, over), judge: judgeState(judge, over) };
}

/** Pending criteria without results have not been claimed by a grader. */
function criteriaState(criteria: SessionFacts['criteria'], over: boolean): Graders['criteria'] {
  if (criteria === null) return 'notConfigured';
  if (criteria.status === 'pending') return over || criteria.results.length === 0 ? 'notClaimed' : 'pending';
  return criteria.status === 'completed' ? 'scored' : 'errored';
}

/** A judge score without a pass or fail is an error. */
function judgeState(judge: SessionFacts['judge'], over: boolean): Graders['judge'] {
  if (judge === null) return 'notConfigured';
  if (judge.status === 'pending') return over ? 'silent' : 'pending';
  if (judge.status === 'skipped') return 'silent';
  return judge.status === 'scored' && judge.passed !== undefined ? 'scored' : 'errored';
}

/** If grading crashed, its partial results are not counted. */
function countsOf({ criteria }: SessionFacts): Counts {
  const results = criteria?.results ?? [];
  const crashed = criteria?.status === 'failed';
  const gating = results.filter(({ role }) => role === 'required');
  const measured = (rows: typeof results) => rows.filter(({ status }) => !crashed && status === 'scored');
  const gatingPassed = measured(gating).filter(({ passed }) => passed).length;
  const gatingFailed = measured(gating).length - gatingPassed;
  return {
    gating: gating.length,
    gatingPassed,
    gatingFailed,
    gatingUnmeasured: gating.length - gatingPassed - gatingFailed,
    advisoryFailed: measured(results).filter(({ role, passed }) => role === 'advisory' && !passed).length,
  };
}

function outcomeOf(
  facts: SessionFacts,
  lifecycle: SessionLifecycle,
  graders: Graders,
  counts: Counts,
): Outcome {
  switch (lifecycle) {
    case 'pending':
      return open('attemptPending');
    case 'running':
      return open('attemptRunning');
    case 'withdrawn':
      return open(facts.errorCode === 'canceled' ? 'withdrawn' : 'notRun');
    case 'limited':
      return open(facts.errorCode === 'spend_cap_exceeded' ? 'spendCapReached' : 'notRun');
    case 'broke':
      // A broken session is graded too, but a failed execution says nothing about the task.
      return withheld('executionFailed');
    case 'ran':
      return gradedOutcome(facts, graders, counts);
  }
}

/**
 * One certain failure decides at once, because no pending grader can reverse it. Passing needs all graders. A silent
 * judge is ignored if gating criteria decide; without such criteria there is no verdict.
 */
function gradedOutcome(
  { judge }: SessionFacts,
  graders: Graders,
  { gating, gatingFailed, gatingUnmeasured }: Counts,
): Outcome {
  const judged = graders.judge === 'scored';
  if (gatingFailed > 0) return decided('failed', 'gatingCriterionFailed', 'requiredAssertions');
  if (judged && judge?.passed === false) return decided('failed', 'judgeFailed', 'goalJudge');
  if (graders.criteria === 'notClaimed') return open('gradingNotClaimed');
  if (graders.criteria === 'pending') return open('criteriaPending');
  if (graders.judge === 'pending') return open('judgePending');
  if (graders.criteria === 'errored') return withheld('criteriaGradingErrored');
  if (gatingUnmeasured > 0) return withheld('gatingCriterionUnmeasured');
  if (graders.judge === 'errored') return withheld('judgeErrored');
  if (gating > 0 && judged) return decided('passed', 'allGradersPassed', 'combined');
  if (gating > 0) return decided('passed', 'allGatingCriteriaPassed', 'requiredAssertions');
  if (judged) return decided('passed', 'judgePassed', 'goalJudge');
  return graders.judge === 'silent' ? withheld('gradingUnavailable') : open('ungraded');
}

function open(reason: Reason): Outcome {
  return { verdict: 'notEstablished', reason, verdictSource: 'none' };
}

function withheld(reason: Reason): Outcome {
  return { verdict: 'inconclusive', reason, verdictSource: 'none' };
}

function decided(
  verdict: 'passed' | 'failed',
  reason: Reason,
  verdictSource: Outcome['verdictSource'],
): Outcome {
  return { verdict, reason, verdictSource };
}

/** The progress of grading, independent of the verdict. */
function gradingOf(lifecycle: SessionLifecycle, { criteria, judge }: Graders): Grading {
  if (criteria === 'notConfigured' && judge === 'notConfigured') return { state: 'notRequested' };
  if (lifecycle === 'pending' || lifecycle === 'running') return { state: 'queued' };
  const anyScored = criteria === 'scored' || judge === 'scored';
  const over = lifecycle === 'limited' || lifecycle === 'withdrawn';
  const waits = criteria === 'notClaimed' || criteria === 'pending' || judge === 'pending';
  if (waits && !over) return { state: anyScored || criteria === 'pending' ? 'running' : 'queued' };
  if (criteria === 'errored') return { state: 'unavailable', reasonCode: 'criteriaGradingErrored' };
  if (judge === 'errored') return { state: 'unavailable', reasonCode: 'judgeErrored' };
  if (anyScored) return { state: 'settled' };
  return over ? { state: 'notRequested' } : { state: 'unavailable', reasonCode: 'judgeSilent' };
}

/**
 * Rate-limited and never started sessions are no trials. A session that failed before its first turn is a setup
 * failure.
 */
function trialOf(
  { errorCode, turns }: SessionFacts,
  lifecycle: SessionLifecycle,
  { verdict }: Outcome,
): Trial | null {
  switch (lifecycle) {
    case 'pending':
    case 'running':
      return { status: lifecycle };
    case 'limited':
      return null;
    case 'withdrawn':
      return errorCode === 'canceled' ? { status: 'cancelled' } : null;
    case 'broke':
      return { status: turns === 0 ? 'setup_failed' : 'failed' };
    case 'ran':
      return {
        status: 'completed',
        ...((verdict === 'passed' || verdict === 'failed') && { taskVerdict: verdict }),
        ...(verdict === 'inconclusive' && { evaluatorError: true as const }),
      };
  }
}
