import { type CheckKind, failed, missing, passed } from './shared/kind.ts';
import { widgets } from './shared/widgets.ts';

/** Every widget that was rendered took less. */
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
      return missing('How long a widget took was not measured');
    return passed(`Every widget took less than ${ms} ms`);
  },
};
