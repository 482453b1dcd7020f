import { type CheckKind, failed, passed } from './shared/kind.ts';
import { inScope, times } from './shared/scope.ts';

export const toolNeverCalled: CheckKind<'toolNeverCalled'> = {
  type: 'toolNeverCalled',
  stage: 'selection',
  turnScopable: true,
  evaluate({ toolName }, evidence) {
    const calls = inScope(evidence.toolCalls, toolName).length;
    return calls === 0
      ? passed(`${toolName} was never called`)
      : failed(`${toolName} was called ${times(calls)}`);
  },
};
