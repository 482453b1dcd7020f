import { list, quote } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';
import { widgets } from './shared/widgets.ts';

export const widgetNoConsoleErrors: CheckKind<'widgetNoConsoleErrors'> = {
  type: 'widgetNoConsoleErrors',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: (_check, { renders }) => renders.length === 0,
  evaluate({ toolName }, evidence) {
    const found = widgets(evidence, toolName);
    if ('none' in found) return found.none;
    const errors = found.seen.flatMap(({ consoleErrors }) => consoleErrors);
    if (errors.length > 0) return failed(`On the console: ${list(errors.map(quote))}`);
    return found.unseen ?? passed('Nothing was written to the console as an error');
  },
};
