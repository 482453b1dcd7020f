import { quote } from '../text/show.ts';
import { type CheckKind, failed, missing, passed } from './shared/kind.ts';
import { inScope, madeCalls } from './shared/scope.ts';

/** The slowest call took less. */
export const toolLatencyUnder: CheckKind<'toolLatencyUnder'> = {
  type: 'toolLatencyUnder',
  stage: 'response',
  turnScopable: false,
  evaluate({ ms, toolName }, evidence) {
    if (madeCalls(evidence, toolName).length === 0) return passed('There was no call');
    const timings = inScope(evidence.timings.items, toolName);
    if (evidence.timings.state !== 'complete' || timings.length === 0)
      return missing('Not all calls were timed');
    const slowest = timings.reduce((a, b) => (b.ms > a.ms ? b : a));
    const found = `The slowest call, of ${quote(slowest.toolName)}, took ${slowest.ms} ms; less than ${ms} ms allowed`;
    return slowest.ms < ms ? passed(found) : failed(found);
  },
};
