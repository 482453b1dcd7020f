import { kindOf } from '../checks/index.ts';
import type { Stage } from '../stage.ts';
import { callsOf, errorsOf, hasBegun, lifecycleOf, type SessionFacts } from './facts.ts';
import { sessionVerdict } from './session-verdict.ts';

/** How a session ended for its persona, worst first. */
export const dispositions = [
  'blockedConnecting',
  'lostFindingTool',
  'blockedCallingTool',
  'blockedByResponse',
  'goalMissed',
  'goalMetWithFriction',
  'goalMet',
  'notMeasured',
  'notRun',
] as const;
export type Disposition = (typeof dispositions)[number];

export type Tone = 'fail' | 'warn' | 'ok' | 'muted';

/** The tone, stage and description of each disposition. */
export const meanings: Readonly<
  Record<
    Disposition,
    { tone: Tone; stage?: { name: Stage; state: 'passed' | 'failed' }; phrase: string | null }
  >
> = {
  // No stage: the cause may be a server or a model.
  blockedConnecting: { tone: 'fail', phrase: 'Sessions fail before the first turn' },
  lostFindingTool: {
    tone: 'fail',
    stage: { name: 'selection', state: 'failed' },
    phrase: 'Goal not met: no existing tool was called',
  },
  blockedCallingTool: {
    tone: 'fail',
    stage: { name: 'call', state: 'failed' },
    phrase: 'Goal not met: a required check of tool calls failed',
  },
  blockedByResponse: {
    tone: 'fail',
    stage: { name: 'response', state: 'failed' },
    phrase: 'Goal not met: every tool call returned an error',
  },
  goalMissed: { tone: 'fail', stage: { name: 'userValue', state: 'failed' }, phrase: 'Goal not met' },
  goalMetWithFriction: {
    tone: 'warn',
    stage: { name: 'userValue', state: 'passed' },
    phrase: 'Goal met, with warnings',
  },
  goalMet: { tone: 'ok', stage: { name: 'userValue', state: 'passed' }, phrase: 'Goal met' },
  notMeasured: { tone: 'muted', phrase: null },
  notRun: { tone: 'muted', phrase: null },
};

/** Signs of trouble that are visible without a judge. */
export const signals = [
  'outputTruncated',
  'hallucinatedTool',
  'toolErrored',
  'noToolCalled',
  'turnCapReached',
] as const;
export type Signal = (typeof signals)[number];

/** `toolsAreCalled`: some session of the run called a tool. Only then is `noToolCalled` meaningful. */
export function signalsOf(session: SessionFacts, toolsAreCalled: boolean): Signal[] {
  const shows: Readonly<Record<Signal, boolean>> = {
    outputTruncated: session.outputTruncated,
    hallucinatedTool: session.unknownTools.length > 0,
    toolErrored: errorsOf(session) > 0,
    noToolCalled: toolsAreCalled && callsOf(session) === 0,
    turnCapReached: session.turnCapReached,
  };
  return signals.filter((signal) => shows[signal]);
}

/**
 * A session that failed after its first turn is not measured; one that lost its worker before its first turn did not
 * run.
 */
export function dispositionOf(session: SessionFacts, toolsAreCalled: boolean): Disposition {
  const { verdict, counts } = sessionVerdict(session);
  switch (lifecycleOf(session)) {
    case 'limited':
    case 'withdrawn':
      return 'notRun';
    case 'pending':
    case 'running':
      return 'notMeasured';
    case 'broke':
      if (session.turns > 0) return 'notMeasured';
      return hasBegun(session) ? 'blockedConnecting' : 'notRun';
    case 'ran':
      if (verdict === 'failed') return causeOfFailure(session, toolsAreCalled);
      if (verdict !== 'passed') return 'notMeasured';
      return counts.advisoryFailed > 0 || signalsOf(session, toolsAreCalled).length > 0
        ? 'goalMetWithFriction'
        : 'goalMet';
  }
}

/** The earliest cause that the facts show. */
function causeOfFailure(session: SessionFacts, toolsAreCalled: boolean): Disposition {
  const calls = callsOf(session);
  if (calls === 0 && (toolsAreCalled || session.unknownTools.length > 0)) return 'lostFindingTool';
  if (failsInStage(session, 'call')) return 'blockedCallingTool';
  // Each entry counts calls and errors of one tool.
  return calls > 0 && errorsOf(session) >= calls ? 'blockedByResponse' : 'goalMissed';
}

function failsInStage({ criteria }: SessionFacts, stage: Stage): boolean {
  return (criteria?.results ?? []).some(
    ({ role, status, passed, kind }) =>
      role === 'required' && status === 'scored' && !passed && kindOf(kind)?.stage === stage,
  );
}
