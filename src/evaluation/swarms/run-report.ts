import { kindOf } from '../checks/index.ts';
import type { Stage } from '../stages/stage.ts';
import type { VerdictDecision } from '../verdict/decision.ts';
import { type Criterion, hasBegun, isExecuted, isUnderWay, lifecycleOf, type SessionFacts } from './facts.ts';
import type { JourneyRunFacts, JourneyRunVerdictSummary } from './run-verdict.ts';
import { criterionStates } from './scorecard.ts';
import {
  type SwarmSessionVerdict,
  type SwarmVerdict,
  sessionVerdict,
  waitsForGrading,
} from './session-verdict.ts';

/** Counts of sessions. Each configured session is either started, not started or unknown. */
export interface SwarmExecution {
  unit: 'sessions';
  configured: number;
  reported: number;
  started: number;
  notStarted: number;
  unknown: number;
  completed: number;
  interrupted: number;
  /** The run ended without starting a session. */
  neverLaunched: boolean;
}

/** Counts of sessions by the result of the goal judge. */
interface GoalGrading {
  unit: 'sessions';
  reported: number;
  passed: number;
  failed: number;
  pending: number;
  unavailable: number;
  notRequested: number;
  /** Sessions waiting for any grader. A session stops waiting once its verdict is certain. */
  waitingForDecisiveGrading: number;
}

interface SwarmObservation {
  evaluatorId: string;
  predicateType: string;
  role: 'required' | 'advisory';
  stage: Stage;
  unit: 'sessions';
  total: number;
  passed: number;
  failed: number;
  pending: number;
  unavailable: number;
}

export interface SwarmReport {
  contractVersion: 1;
  runId: string;
  verdict: SwarmVerdict;
  verdictSource: 'policyV2' | 'none';
  execution: SwarmExecution;
  goalGrading: GoalGrading;
  observations: SwarmObservation[];
  decision?: VerdictDecision;
  undecidedReason?: 'executionPending' | 'gradingPending' | 'gradingNotConfigured' | 'integrityFailed';
}

/** Builds the report of a run: verdict (from `journeyRunVerdict`), execution, goal grading and observations. */
export function swarmReport(run: JourneyRunFacts, summary: JourneyRunVerdictSummary): SwarmReport {
  const { runId, rubric, sessions } = run;
  return {
    contractVersion: 1,
    runId,
    ...verdictIn(summary, sessions),
    execution: executionOf(sessions),
    goalGrading: goalGradingOf(sessions),
    observations: observationsOf(rubric, sessions),
  };
}

function verdictIn(
  summary: JourneyRunVerdictSummary,
  sessions: readonly SessionFacts[],
): Pick<SwarmReport, 'verdict' | 'verdictSource' | 'decision' | 'undecidedReason'> {
  if (summary.status === 'decided')
    return {
      verdict: summary.decision.verdict,
      verdictSource: 'policyV2',
      decision: summary.decision,
    };
  const pending = sessions.some(isUnderWay) ? 'executionPending' : 'gradingPending';
  const undecidedReason = {
    pending,
    notEstablished: 'gradingNotConfigured',
    integrityFailed: 'integrityFailed',
  }[summary.status] as NonNullable<SwarmReport['undecidedReason']>;
  return { verdict: 'notEstablished', verdictSource: 'none', undecidedReason };
}

export function executionOf(sessions: readonly SessionFacts[]): SwarmExecution {
  const begun = sessions.map(hasBegun);
  const count = (wanted: boolean | undefined): number => begun.filter((one) => one === wanted).length;
  const of = (lifecycle: string): number =>
    sessions.filter((session) => lifecycleOf(session) === lifecycle).length;
  const started = count(true);
  const completed = of('ran');
  return {
    unit: 'sessions',
    configured: sessions.length,
    reported: sessions.filter((session) => !isUnderWay(session)).length,
    started,
    notStarted: count(false),
    unknown: count(undefined),
    completed,
    interrupted: started - completed - of('running'),
    neverLaunched: started === 0 && count(undefined) === 0 && of('pending') === 0,
  };
}

function goalGradingOf(sessions: readonly SessionFacts[]): GoalGrading {
  const verdicts = sessions.map(sessionVerdict);
  const states = sessions.map((session, at) => goalState(session, verdicts[at] as SwarmSessionVerdict));
  const count = (wanted: GoalState): number => states.filter((state) => state === wanted).length;
  return {
    unit: 'sessions',
    reported: sessions.length,
    passed: count('passed'),
    failed: count('failed'),
    pending: count('pending'),
    unavailable: count('unavailable'),
    notRequested: count('notRequested'),
    waitingForDecisiveGrading: verdicts.filter(waitsForGrading).length,
  };
}

type GoalState = 'passed' | 'failed' | 'pending' | 'unavailable' | 'notRequested';

/** The result of the goal judge. For limited and withdrawn sessions without one, none is requested. */
function goalState(session: SessionFacts, { graders: { judge } }: SwarmSessionVerdict): GoalState {
  if (judge === 'notConfigured') return 'notRequested';
  if (judge === 'scored') return session.judge?.passed ? 'passed' : 'failed';
  if (judge === 'pending') return 'pending';
  return isExecuted(session) || isUnderWay(session) ? 'unavailable' : 'notRequested';
}

/** The observations of each criterion. A kind that is not in the catalog has no stage and yields none. */
function observationsOf(rubric: readonly Criterion[], sessions: readonly SessionFacts[]): SwarmObservation[] {
  const gradable = sessions.filter((session) => isExecuted(session) || isUnderWay(session));
  const states = criterionStates(rubric, gradable);
  return rubric.flatMap(({ criterionId: evaluatorId, kind: predicateType, role }) => {
    const stage = kindOf(predicateType)?.stage;
    const counts = states.get(evaluatorId);
    if (!stage || !counts) return [];
    return [{ evaluatorId, predicateType, role, stage, unit: 'sessions', total: gradable.length, ...counts }];
  });
}
