import { type CheckKind, failed, passed } from './shared/kind.ts';
import { counted, inScope } from './shared/scope.ts';

export const toolCallCountUnder: CheckKind<'toolCallCountUnder'> = {
  type: 'toolCallCountUnder',
  stage: 'selection',
  turnScopable: true,
  evaluate({ count, toolName }, { toolCalls }) {
    const calls = inScope(toolCalls, toolName).length;
    const found = `${counted(calls, 'call')}${toolName ? ` of ${toolName}` : ''}; fewer than ${count} allowed`;
    return calls < count ? passed(found) : failed(found);
  },
};
