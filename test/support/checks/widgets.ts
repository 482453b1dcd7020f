import { render } from '../evidence.ts';
import { type CheckExample, examples } from './example.ts';

const rendered = render('map', 'rendered', { latencyMs: 50 });
const blank = render('map', 'blank_screenshot', { consoleErrors: ['x is not a function'] });
const unseen = render('map', 'browser_unavailable');

/** Examples for checks of widgets. */
export const widgetExamples: CheckExample[] = [
  ...examples(
    'widgetRendered',
    [{}, { renders: [blank, rendered] }, 'passed'],
    [{}, { renders: [unseen, rendered] }, 'passed'],
    [{ toolName: 'list' }, { renders: [rendered] }, 'failed', 'list'],
    [{}, { renders: [blank] }, 'failed', 'blank_screenshot'],
    [{}, {}, 'failed'],
    [{}, { browserAvailable: true }, 'failed'],
    [{}, { browserAvailable: false }, 'error', 'browser_unavailable'],
    [{}, { renders: [unseen] }, 'error', 'browser_unavailable'],
    [{}, { renders: [unseen, blank] }, 'error', 'browser_unavailable'],
  ),
  ...examples(
    'widgetRenderLatencyUnder',
    [{ ms: 51 }, { renders: [rendered] }, 'passed'],
    [{ ms: 50 }, { renders: [rendered] }, 'failed', '50 ms'],
    [{ ms: 50 }, { renders: [rendered, unseen] }, 'failed'],
    [{ ms: 51 }, { renders: [rendered, unseen] }, 'error', 'browser_unavailable'],
    [{ ms: 51 }, { renders: [blank] }, 'failed', 'No widget'],
    [{ ms: 51 }, { renders: [render('map', 'rendered')] }, 'error', 'not measured'],
    [{ ms: 51 }, {}, 'failed'],
    [{ ms: 51 }, { browserAvailable: false }, 'error', 'browser_unavailable'],
  ),
  ...examples(
    'widgetNoConsoleErrors',
    [{}, { renders: [rendered] }, 'passed'],
    [{}, { renders: [rendered, blank] }, 'failed', 'x is not a function'],
    [{}, { renders: [rendered, unseen] }, 'error', 'browser_unavailable'],
    [{}, {}, 'failed'],
    [{}, { browserAvailable: false }, 'error', 'browser_unavailable'],
  ),
];
