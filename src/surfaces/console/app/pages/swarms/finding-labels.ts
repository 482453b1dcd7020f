import type { State } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';

const detectors: Record<string, string> = {
  criterion_failed: 'Criterion not met',
  goal_missed: 'Goal missed (judge)',
  execution_failed: 'Sessions aborted',
  provider_limited: 'Provider rate limits',
  tool_errored: 'Tool returns errors',
  unknown_tool_called: 'Unknown tool called',
  no_tool_called: 'Expected tool call missing',
  turn_cap_reached: 'Turn limit reached before the goal',
  ask_repeated: 'Repeated questions',
  session_abandoned: 'Visitors leave after a failure',
  turn_slow: 'Slow replies',
  thumbs_down: 'Negative ratings',
};

/** Names a finding; unknown detectors keep their name. */
export function detectorText(detector: string): string {
  return detectors[detector] ?? cut(detector.replaceAll('_', ' '), 80);
}

/** A fingerprint begins with its detector. */
export function detectorOf(fingerprint: string): string {
  return fingerprint.split(':', 1)[0] ?? '';
}

export const findingStates = {
  new: { state: 'attention', word: 'new' },
  regressed: { state: 'failed', word: 'regressed' },
  recurring: { state: 'flaky', word: 'recurring' },
  resolved: { state: 'passed', word: 'resolved' },
} as const satisfies Record<string, { state: State; word: string }>;
