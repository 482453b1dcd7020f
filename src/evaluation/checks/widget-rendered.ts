import { list } from '../text/show.ts';
import { type CheckKind, failed, passed } from './shared/kind.ts';
import { widgets } from './shared/widgets.ts';

/** Some widget was rendered. */
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
