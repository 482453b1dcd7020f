import { list, quote } from '../text/show.ts';
import { type CheckKind, failed, missing, passed } from './shared/kind.ts';
import { widgets } from './shared/widgets.ts';

export const widgetRendered: CheckKind<'widgetRendered'> = {
  type: 'widgetRendered',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: (_check, { renders }) => renders.length === 0,
  evaluate({ toolName }, evidence) {
    const found = widgets(evidence, toolName);
    if ('none' in found) return found.none;
    const rendered = found.seen.find(({ status }) => status === 'rendered');
    if (rendered) return passed(`The widget of ${rendered.toolName} was rendered`);
    const words = found.seen.map(({ toolName: name, status, problem }) =>
      problem === undefined ? `${name}: ${status}` : `${name}: ${status}, ${problem}`,
    );
    return found.unseen ?? failed(list(words));
  },
};

/** Fails if any rendered widget took `ms` or longer. */
export const widgetRenderLatencyUnder: CheckKind<'widgetRenderLatencyUnder'> = {
  type: 'widgetRenderLatencyUnder',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: (_check, { renders }) => renders.length === 0,
  evaluate({ ms, toolName }, evidence) {
    const found = widgets(evidence, toolName);
    if ('none' in found) return found.none;
    const rendered = found.seen.filter(({ status }) => status === 'rendered');
    const slow = rendered.find(({ latencyMs }) => latencyMs !== undefined && latencyMs >= ms);
    if (slow)
      return failed(`The widget of ${slow.toolName} took ${slow.latencyMs} ms; less than ${ms} ms allowed`);
    if (found.unseen) return found.unseen;
    if (rendered.length === 0) return failed('No widget was rendered');
    if (rendered.some(({ latencyMs }) => latencyMs === undefined))
      return missing('The rendering time was not measured');
    return passed(`Every widget took less than ${ms} ms`);
  },
};

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
