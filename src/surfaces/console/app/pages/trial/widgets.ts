import { asSchema } from '../../kit/form/schema.ts';
import { listIn, textIn } from '../../kit/given.ts';
import { cut } from '../../kit/text.ts';
import type { Message, Trace } from './trace.ts';

/** A widget that a trial showed, as its trace tells it. */
export interface ShownWidget {
  name: string;
  given: unknown;
}

/** More are in the raw form only. */
const most = 100;

/** By the call whose result they belong to; those of calls that the conversation does not have are apart. */
export function widgetsOf(
  trace: Trace,
  messages: readonly Message[],
): { byCall: ReadonlyMap<string, ShownWidget>; others: ShownWidget[] } {
  const answered = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'result' ? part.toolCallId : []))),
  );
  const byCall = new Map<string, ShownWidget>();
  const others: ShownWidget[] = [];
  for (const given of listIn(trace['widgetSnapshots']).slice(0, most)) {
    const { toolCallId, toolName } = asSchema(given) ?? {};
    const widget = { name: `Widget of ${cut(textIn(toolName) ?? 'a tool')}`, given };
    const call = textIn(toolCallId);
    if (call !== undefined && answered.has(call) && !byCall.has(call)) byCall.set(call, widget);
    else others.push(widget);
  }
  return { byCall, others };
}
