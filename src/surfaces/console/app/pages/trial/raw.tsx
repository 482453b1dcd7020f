import { useState } from 'react';
import { Json } from '../../kit/code.tsx';
import { asSchema } from '../../kit/form/schema.ts';
import { Section } from '../../kit/page.tsx';
import { TabButtons } from '../../kit/tabs.tsx';
import type { Span, Trace } from './trace.ts';

type View = 'frames' | 'span' | 'trace';

export function RawTrace({ trace, span }: { trace: Trace; span: Span | undefined }) {
  const [chosen, choose] = useState<View>('frames');
  const frames = Array.isArray(trace['frames']) ? (trace['frames'] as unknown[]) : [];
  const own =
    span?.toolCallId === undefined
      ? frames
      : frames.filter((frame) => asSchema(frame)?.['toolCallId'] === span.toolCallId);
  const recording = span && trace.spans?.find((one: unknown) => asSchema(one)?.['id'] === span.id);
  const views: [View, string][] = [
    ['frames', own.length === frames.length ? 'MCP frames' : 'MCP frame of this call'],
    ...(span ? [['span', 'This span'] as [View, string]] : []),
    ['trace', 'Whole trace'],
  ];
  const view = views.some(([name]) => name === chosen) ? chosen : 'frames';
  return (
    <Section
      title="Raw"
      actions={<TabButtons label="Raw view" names={views} chosen={view} choose={choose} />}
    >
      {view === 'frames' && <Json value={own} label="MCP frames" />}
      {view === 'span' && <Json value={recording} label="span" />}
      {view === 'trace' && <Json value={trace} label="whole trace" />}
    </Section>
  );
}
