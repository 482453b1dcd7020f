import { list, quote } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';

export const noToolErrors: CheckKind<'noToolErrors'> = {
  type: 'noToolErrors',
  stage: 'response',
  turnScopable: true,
  evaluate(_check, { toolErrors }) {
    if (toolErrors.length === 0) return passed('No call of a tool failed');
    return failed(
      list(toolErrors.map(({ toolName, message }) => `${quote(toolName)} failed: ${quote(message)}`)),
    );
  },
};
