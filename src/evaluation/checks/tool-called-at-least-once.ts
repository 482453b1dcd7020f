import { type CheckKind, failed, passed } from './shared/kind.ts';
import { madeCalls, times } from './shared/scope.ts';

export const toolCalledAtLeastOnce: CheckKind<'toolCalledAtLeastOnce'> = {
  type: 'toolCalledAtLeastOnce',
  stage: 'selection',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate({ toolName }, evidence) {
    const calls = madeCalls(evidence, toolName).length;
    return calls > 0
      ? passed(`${toolName} was called ${times(calls)}`)
      : failed(`${toolName} was never called`);
  },
};
