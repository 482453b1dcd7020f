import { callsOf, isExecuted, lifecycleOf, type SessionFacts } from './facts.ts';
import { sessionVerdict } from './session-verdict.ts';

/** What a finding is about. Ids and labels may come from servers; they are bounded where they are stored. */
export interface Subject {
  kind: 'criterion' | 'journey' | 'environment' | 'host' | 'tool' | 'study';
  id: string;
  label: string;
}

/** What one session tells about a subject: it could have happened, and whether it did. */
export interface Reading {
  subject: Subject;
  happened: boolean;
  /** Once is enough: no chance is in it. */
  certain: boolean;
}

export interface Detector<Session, Rest extends unknown[] = []> {
  name: string;
  dimension: 'criteria' | 'goal' | 'execution' | 'tools' | 'conversation' | 'speed' | 'feedback';
  /** Nothing where it could not have shown in this session. */
  read(session: Session, ...rest: Rest): Reading[];
}

/** `calling` are the runs of the wave in which tools were called. */
type JourneyDetector = Detector<SessionFacts, [calling: ReadonlySet<string>]>;

/** Codes of failures that are ours, and say nothing about the target. */
const ourFailures: ReadonlySet<string | null> = new Set(['runner_shutdown', 'stale_runner']);

/** One detector for both roles, so that a criterion whose role is edited stays one finding. */
const criterionFailed: JourneyDetector = {
  name: 'criterion_failed',
  dimension: 'criteria',
  read(session) {
    const { criteria, journeyId } = session;
    if (!isExecuted(session) || criteria?.status !== 'completed') return [];
    return criteria.results
      .filter(({ status }) => status === 'scored')
      .map(({ criterionId, label, kind, role, passed }) => ({
        subject: { kind: 'criterion', id: `${journeyId}/${criterionId}`, label: label ?? kind },
        happened: !passed,
        certain: role === 'required',
      }));
  },
};

const goalMissed: JourneyDetector = {
  name: 'goal_missed',
  dimension: 'goal',
  read(session) {
    if (!isExecuted(session) || sessionVerdict(session).graders.judge !== 'scored') return [];
    return [{ subject: journeyOf(session), happened: session.judge?.passed === false, certain: false }];
  },
};

const executionFailed: JourneyDetector = {
  name: 'execution_failed',
  dimension: 'execution',
  read(session) {
    const broke = lifecycleOf(session) === 'broke';
    if (!isExecuted(session) || (broke && ourFailures.has(session.errorCode))) return [];
    return [{ subject: session.target, happened: broke, certain: true }];
  },
};

/** The budget of the organization is not the provider's, so sessions it stopped tell nothing. */
const providerLimited: JourneyDetector = {
  name: 'provider_limited',
  dimension: 'execution',
  read(session) {
    const limited = lifecycleOf(session) === 'limited';
    if (session.errorCode === 'spend_cap_exceeded' || !(limited || isExecuted(session))) return [];
    return [{ subject: session.target, happened: limited, certain: true }];
  },
};

/** Calls count however the session ended. */
const toolErrored: JourneyDetector = {
  name: 'tool_errored',
  dimension: 'tools',
  read: ({ tools }) =>
    tools
      .filter(({ calls }) => calls > 0)
      .map(({ serverId, serverName, toolName, errors }) => ({
        subject: {
          kind: 'tool',
          id: `${serverId ?? JSON.stringify(serverName)}/${toolName}`,
          label: `${serverName}: ${toolName}`,
        },
        happened: errors > 0,
        certain: false,
      })),
};

const unknownToolCalled: JourneyDetector = {
  name: 'unknown_tool_called',
  dimension: 'tools',
  read(session) {
    if (!isExecuted(session)) return [];
    return [{ subject: journeyOf(session), happened: session.unknownTools.length > 0, certain: false }];
  },
};

/** Only where another session of the run called one: some journeys need none. */
const noToolCalled: JourneyDetector = {
  name: 'no_tool_called',
  dimension: 'tools',
  read(session, calling) {
    if (lifecycleOf(session) !== 'ran' || !calling.has(session.runId)) return [];
    return [{ subject: journeyOf(session), happened: callsOf(session) === 0, certain: false }];
  },
};

/** The judge knows best whether the goal was met; without one, the verdict. Nothing while neither can tell. */
const turnCapReached: JourneyDetector = {
  name: 'turn_cap_reached',
  dimension: 'conversation',
  read(session) {
    if (lifecycleOf(session) !== 'ran') return [];
    const { verdict, graders } = sessionVerdict(session);
    const unclear = verdict === 'inconclusive' || verdict === 'notEstablished';
    const judged = graders.judge === 'scored';
    if (session.turnCapReached && unclear && !judged) return [];
    const met = judged ? session.judge?.passed === true : verdict === 'passed';
    return [{ subject: journeyOf(session), happened: session.turnCapReached && !met, certain: false }];
  },
};

export const detectors: readonly JourneyDetector[] = [
  criterionFailed,
  goalMissed,
  executionFailed,
  providerLimited,
  toolErrored,
  unknownToolCalled,
  noToolCalled,
  turnCapReached,
];

function journeyOf({ journeyId, journeyName }: SessionFacts): Subject {
  return { kind: 'journey', id: journeyId, label: journeyName };
}
