import { list, quote } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';

/** No call of any other tool; with no tools named, no call at all. */
export const onlyToolsCalled: CheckKind<'onlyToolsCalled'> = {
  type: 'onlyToolsCalled',
  stage: 'selection',
  turnScopable: true,
  evaluate({ toolNames }, { toolCalls }) {
    const allowed = new Set(toolNames);
    const others = new Set(toolCalls.map(({ toolName }) => toolName).filter((name) => !allowed.has(name)));
    if (others.size === 0) return passed(`${toolCalls.length} calls, all of allowed tools`);
    return failed(`Called besides: ${list([...others].map(quote))}`);
  },
};
