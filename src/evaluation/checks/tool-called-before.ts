import { type CheckKind, failed, passed } from './shared/kind.ts';

/** Each call of one tool comes after some call of another. */
export const toolCalledBefore: CheckKind<'toolCalledBefore'> = {
  type: 'toolCalledBefore',
  stage: 'selection',
  turnScopable: true,
  evaluate({ toolName, beforeToolName }, { toolCalls }) {
    const later = toolCalls.findIndex((call) => call.toolName === beforeToolName);
    if (later === -1) return passed(`${beforeToolName} was never called`);
    const earlier = toolCalls.findIndex((call) => call.toolName === toolName && call.invalid === undefined);
    return earlier !== -1 && earlier < later
      ? passed(`${toolName} was called before ${beforeToolName}`)
      : failed(`${beforeToolName} was called without a call of ${toolName} before it`);
  },
};
