import { list, quote } from '../text/show.ts';
import { type CheckKind, failed, missing, passed } from './shared/kind.ts';
import { declarationsOf, isDeprecated } from './shared/tools.ts';

/** No tool was called that says of itself that it is deprecated. */
export const noDeprecatedToolCalled: CheckKind<'noDeprecatedToolCalled'> = {
  type: 'noDeprecatedToolCalled',
  stage: 'selection',
  turnScopable: false,
  evaluate(_check, { toolCalls, inventory }) {
    if (toolCalls.length === 0) return passed('There was no call');
    if (inventory.state !== 'complete') return missing('Not all tools that were offered were recorded');
    const deprecated = inventory.items.filter(isDeprecated);
    const called = toolCalls.filter((call) => declarationsOf(call, deprecated).length > 0);
    if (called.length === 0) return passed('No deprecated tool was called');
    const names = new Set(called.map(({ toolName }) => toolName));
    return failed(`Deprecated, and called: ${list([...names].map(quote))}`);
  },
};
