import { callsOf, isExecuted, lifecycleOf, type SessionFacts } from '../swarms/facts.ts';
import { sessionVerdict } from '../swarms/session-verdict.ts';
import { type Detector, type Observation, observeWith, type Subject } from './observe.ts';

/** `calling` holds the IDs of the runs in which at least one tool was called. */
type JourneyDetector = Detector<SessionFacts, [calling: ReadonlySet<string>]>;

/**
 * Models and judges vary by chance: a detector fires from a fifth of the covered sessions on. With up to five sessions,
 * one is enough.
 */
const threshold = { share: 0.2, sessions: 1 };

/** Failures of this service, which say nothing about the target. */
const ourFailures: ReadonlySet<string | null> = new Set(['runner_shutdown', 'stale_runner']);

/** One detector for both roles, so that a criterion keeps its finding when its role is edited. */
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

/** A session stopped by the organization's spend cap says nothing about the provider. */
const providerLimited: JourneyDetector = {
  name: 'provider_limited',
  dimension: 'execution',
  read(session) {
    const limited = lifecycleOf(session) === 'limited';
    if (session.errorCode === 'spend_cap_exceeded' || !(limited || isExecuted(session))) return [];
    return [{ subject: session.target, happened: limited, certain: true }];
  },
};

/** Detects tools that returned an error. Failed and cancelled sessions count too if they called the tool. */
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

/** Covered only if another session of the run called a tool: some journeys need none. */
const noToolCalled: JourneyDetector = {
  name: 'no_tool_called',
  dimension: 'tools',
  read(session, calling) {
    if (lifecycleOf(session) !== 'ran' || !calling.has(session.runId)) return [];
    return [{ subject: journeyOf(session), happened: callsOf(session) === 0, certain: false }];
  },
};

/**
 * The turn cap ended a session that did not meet its goal. The judge decides whether the goal was met; without a judge,
 * the verdict does. Skips sessions that reached the cap with neither result.
 */
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

export const journeyDetectors: readonly JourneyDetector[] = [
  criterionFailed,
  goalMissed,
  executionFailed,
  providerLimited,
  toolErrored,
  unknownToolCalled,
  noToolCalled,
  turnCapReached,
];

export function observeJourneys(wave: readonly SessionFacts[]): Observation[] {
  const calling = new Set(wave.filter((session) => callsOf(session) > 0).map(({ runId }) => runId));
  const detectors = journeyDetectors.map(
    (detector): Detector<SessionFacts> => ({
      ...detector,
      read: (session) => detector.read(session, calling),
    }),
  );
  return observeWith(detectors, wave, threshold);
}

function journeyOf({ journeyId, journeyName }: SessionFacts): Subject {
  return { kind: 'journey', id: journeyId, label: journeyName };
}
