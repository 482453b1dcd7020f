import type { State } from '../../kit/state.tsx';
import { cut } from '../../kit/text.ts';

const detectors: Record<string, string> = {
  criterion_failed: 'A criterion is not met',
  goal_missed: 'The judge sees the goal missed',
  execution_failed: 'Sessions break off',
  provider_limited: 'A provider limits sessions',
  tool_errored: 'A tool answers with errors',
  unknown_tool_called: 'A tool is called that no server has',
  no_tool_called: 'No tool is called where other sessions call some',
  turn_cap_reached: 'The turns run out before the goal is met',
  ask_repeated: 'Visitors ask the same again',
  session_abandoned: 'Visitors leave after something failed',
  turn_slow: 'Replies are slow',
  thumbs_down: 'Visitors give a thumb down',
};

/** What was found, in words; of a detector that is newer than this page, its name. */
export function detectorWords(detector: string): string {
  return detectors[detector] ?? cut(detector.replaceAll('_', ' '), 80);
}

/** What finds a thing stands first in its fingerprint. */
export function detectorOf(fingerprint: string): string {
  return fingerprint.split(':', 1)[0] ?? '';
}

export const findingStates = {
  new: { state: 'attention', word: 'new' },
  regressed: { state: 'failed', word: 'back again' },
  recurring: { state: 'flaky', word: 'recurring' },
  resolved: { state: 'passed', word: 'resolved' },
} as const satisfies Record<string, { state: State; word: string }>;
