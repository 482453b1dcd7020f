import { asSchema } from '../../kit/form/schema.ts';
import { listIn, numberIn, textIn } from '../../kit/given.ts';
import { briefJson } from '../../kit/json.ts';
import type { State } from '../../kit/state.tsx';
import { cut, textOf } from '../../kit/text.ts';

/** Rendering result of a widget, from a response or a trace. Untrusted, so any field may be missing. */
export interface Seen {
  state: State;
  /** Outcome label. */
  word: string;
  problem: string | undefined;
  resourceUri: string | undefined;
  renderMs: number | undefined;
  totalMs: number | undefined;
  consoleErrors: string[];
  blocked: string[];
  calls: { tool: string; given: string; error: string | undefined }[];
  requests: string[];
  tree: string | undefined;
  note: string | undefined;
  /** Element selectors, as in the steps of an eval case. */
  targets: string[];
}

const outcomes = new Map<string, [State, string]>([
  ['rendered', ['passed', 'rendered']],
  ['resource_read_failed', ['failed', 'its resource could not be read']],
  ['mount_failed', ['failed', 'its page could not be opened']],
  ['bridge_timeout', ['failed', 'it did not connect to its host in time']],
  ['render_error', ['failed', 'its script failed']],
  ['blank_screenshot', ['failed', 'it stayed blank']],
  ['screenshot_failed', ['inconclusive', 'no screenshot could be taken']],
  ['browser_unavailable', ['inconclusive', 'no browser was available']],
]);

export function seenOf(given: unknown): Seen {
  const raw = asSchema(given) ?? {};
  const status = cut(textOf(raw['status'], 'no details are known'));
  const [state, word] = outcomes.get(status) ?? ['notMeasured', status];
  const timings = asSchema(raw['timings']) ?? raw;
  const snapshot = asSchema(raw['snapshot']);
  return {
    state,
    word,
    problem: textIn(raw['problem']),
    resourceUri: textIn(raw['resourceUri']),
    renderMs: numberIn(timings['renderMs']),
    totalMs: numberIn(timings['totalMs']),
    consoleErrors: listIn(raw['consoleErrors']).map((one) => textOf(one)),
    blocked: listIn(raw['blockedRequests']).map(blockedText),
    calls: listIn(raw['toolCalls']).map((one) => {
      const call = asSchema(one) ?? {};
      return {
        tool: cut(textOf(call['toolName'], 'a tool')),
        given: briefJson(call['arguments'] ?? {}),
        error: textIn(call['error']),
      };
    }),
    requests: listIn(raw['hostRequests']).map((one) => textOf(one)),
    tree: textIn(snapshot?.['tree']),
    note: textIn(snapshot?.['note']),
    targets: listIn(snapshot?.['elements']).map(targetOf),
  };
}

/** Traces have the URL and the reason as separate fields. */
function blockedText(one: unknown): string {
  const { url, reason } = asSchema(one) ?? {};
  return typeof url === 'string' ? `${url} (${textOf(reason, 'blocked')})` : textOf(one);
}

/** The target as JSON. If several elements match, `nth` selects the first; edit it to select another. */
function targetOf(one: unknown): string {
  const { ambiguous, ...target } = asSchema(one) ?? {};
  return JSON.stringify(ambiguous === true ? { ...target, nth: 0 } : target);
}
