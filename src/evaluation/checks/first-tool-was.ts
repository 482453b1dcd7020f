import { quote } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';

export const firstToolWas: CheckKind<'firstToolWas'> = {
  type: 'firstToolWas',
  stage: 'selection',
  turnScopable: true,
  failsByAbsence: (_check, { toolCalls }) => toolCalls.length === 0,
  evaluate({ toolName }, { toolCalls: [first] }) {
    if (!first) return failed(`No tool was called; the first should have been ${toolName}`);
    if (first.toolName !== toolName)
      return failed(`The first tool called was ${quote(first.toolName)}, not ${toolName}`);
    if (first.invalid !== undefined) return failed(`The first call, of ${toolName}, reached no server`);
    return passed(`The first tool called was ${toolName}`);
  },
};
