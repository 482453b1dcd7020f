import type { ToolCall } from '../evidence.ts';
import { jsonEquality } from '../json/value.ts';
import { show } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';

/** No call is the same as the one right before it, of whatever tool that one is. */
export const noRepeatedIdenticalCall: CheckKind<'noRepeatedIdenticalCall'> = {
  type: 'noRepeatedIdenticalCall',
  stage: 'call',
  turnScopable: true,
  evaluate({ toolName }, { toolCalls }) {
    const same = jsonEquality();
    const repeats = (call: ToolCall, before: ToolCall | undefined): boolean =>
      before !== undefined &&
      before.toolName === call.toolName &&
      before.serverId === call.serverId &&
      same(before.arguments, call.arguments);
    const repeated = toolCalls.find(
      (call, index) =>
        (toolName === undefined || call.toolName === toolName) && repeats(call, toolCalls[index - 1]),
    );
    return repeated
      ? failed(`${repeated.toolName} was called twice in a row with ${show(repeated.arguments)}`)
      : passed('No call was repeated at once');
  },
};
