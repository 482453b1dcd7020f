import type { ReactNode } from 'react';
import { partFrom } from '../../api/parts.ts';
import { asSchema } from '../../kit/form/schema.ts';
import { artifactPath, listIn, textIn } from '../../kit/given.ts';
import { cut } from '../../kit/text.ts';
import css from '../widgets/widgets.module.css';
import type { Message, Trace } from './trace.ts';

const WidgetSeen = partFrom(() => import('../widgets/widget-seen.tsx'), 'WidgetSeen');

/** Maximum number of widgets; the raw view has the rest. */
const maxWidgets = 100;

/** Widgets of a trial by call ID; `others` belong to calls missing from the conversation. */
export function widgetsOf(
  trace: Trace,
  messages: readonly Message[],
): { byCall: ReadonlyMap<string, ReactNode>; others: ReactNode[] } {
  const answered = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'result' ? part.toolCallId : []))),
  );
  const byCall = new Map<string, ReactNode>();
  const others: ReactNode[] = [];
  for (const [at, given] of listIn(trace['widgetSnapshots']).slice(0, maxWidgets).entries()) {
    const { toolCallId, toolName, screenshotUrl } = asSchema(given) ?? {};
    const name = `Widget of ${cut(textIn(toolName) ?? 'a tool')}`;
    const picture = artifactPath(screenshotUrl);
    const widget = (
      <WidgetSeen key={at} name={name} given={given}>
        {picture !== undefined && (
          <img className={css.picture} src={picture} alt={`${name} rendering steps`} loading="lazy" />
        )}
      </WidgetSeen>
    );
    const call = textIn(toolCallId);
    if (call !== undefined && answered.has(call) && !byCall.has(call)) byCall.set(call, widget);
    else others.push(widget);
  }
  return { byCall, others };
}
