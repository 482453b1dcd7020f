import type { Output } from '../../../../client/index.ts';
import { textOf } from '../../kit/text.ts';

export type Trace = Output<'getEvalIterationTrace'>;

/** A stretch of time in a trial; everything in it comes from elsewhere, so nothing is sure to be there. */
export interface Span {
  id: string;
  parentId: string | undefined;
  name: string;
  category: string;
  start: number;
  end: number;
  failed: boolean;
  promptIndex: number | undefined;
  toolCallId: string | undefined;
  tokens: number | undefined;
  /** How many spans are around it. */
  depth: number;
}

type Raw = Record<string, unknown>;

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Deeper than this is drawn no further to the right. */
const deepest = 6;

/** In the order in which they began, those inside behind those around them. */
export function spansOf({ spans = [] }: Trace): Span[] {
  const read = spans.flatMap((raw: Raw): Span[] => {
    const [id, start] = [text(raw['id']), number(raw['startMs'])];
    if (id === undefined || start === undefined) return [];
    return [
      {
        id,
        parentId: text(raw['parentId']),
        name: text(raw['name']) ?? id,
        category: text(raw['category']) ?? 'step',
        start,
        end: Math.max(start, number(raw['endMs']) ?? start),
        failed: raw['status'] === 'error',
        promptIndex: number(raw['promptIndex']),
        toolCallId: text(raw['toolCallId']),
        tokens: number(raw['totalTokens']),
        depth: 0,
      },
    ];
  });
  const byId = new Map(read.map((span) => [span.id, span]));
  for (const span of read) {
    let around = byId.get(span.parentId ?? '');
    while (around && span.depth < deepest) {
      span.depth++;
      around = byId.get(around.parentId ?? '');
    }
  }
  return read.toSorted((a, b) => a.start - b.start || a.depth - b.depth);
}

/** A piece of what was said. */
export interface Part {
  kind: 'text' | 'call' | 'result' | 'other';
  text: string;
  /** Of a call or its result. */
  tool: string | undefined;
  toolCallId: string | undefined;
  failed: boolean;
}

export interface Message {
  index: number;
  role: string;
  /** Which prompt of the case it belongs to; before the first it is -1. */
  turn: number;
  parts: Part[];
}

export function messagesOf({ messages }: Trace): Message[] {
  let turn = -1;
  return messages.map((raw: Raw, index) => {
    const role = text(raw['role']) ?? 'unknown';
    if (role === 'user') turn++;
    return { index, role, turn, parts: partsOf(raw['content']) };
  });
}

function partsOf(content: unknown): Part[] {
  if (typeof content === 'string') return [part('text', content)];
  if (!Array.isArray(content)) return content === undefined ? [] : [part('other', shown(content))];
  return content.map((raw: Raw) => {
    const about = { tool: text(raw['toolName']), toolCallId: text(raw['toolCallId']) };
    if (raw['type'] === 'text') return part('text', text(raw['text']) ?? '');
    if (raw['type'] === 'tool-call') return { ...part('call', shown(raw['input'] ?? raw['args'])), ...about };
    if (raw['type'] !== 'tool-result') return part('other', shown(raw));
    const output = (raw['output'] ?? raw['result']) as Raw | undefined;
    const value =
      typeof output === 'object' && output !== null && 'value' in output ? output['value'] : output;
    const failed = /error/.test(textOf(output?.['type'])) || raw['isError'] === true;
    return { ...part('result', shown(value)), ...about, failed };
  });
}

function part(kind: Part['kind'], said: string): Part {
  return { kind, text: said, tool: undefined, toolCallId: undefined, failed: false };
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
  if (!/^\s*[{[]/.test(value) || value.length > 100_000) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

/** The message that a span made: the result of its tool, or what the model answered in that step. */
export function messageOfSpan(
  span: Span,
  spans: readonly Span[],
  messages: readonly Message[],
): number | undefined {
  if (span.toolCallId !== undefined) {
    const ofCall = (message: Message): boolean =>
      message.parts.some(({ toolCallId }) => toolCallId === span.toolCallId);
    return messages.findLast(ofCall)?.index;
  }
  const model =
    span.category === 'llm'
      ? span
      : spans.find(({ parentId, category }) => parentId === span.id && category === 'llm');
  const nth = spans.filter(({ category }) => category === 'llm').indexOf(model ?? span);
  return nth < 0 ? undefined : messages.filter(({ role }) => role === 'assistant')[nth]?.index;
}

/** What a check of a turn reads: the last answer in it; of the whole trial, the last of all. */
export function answerOfTurn(messages: readonly Message[], turn: number | undefined): number | undefined {
  const answers = messages.filter(
    (message) => message.role === 'assistant' && (turn === undefined || message.turn === turn),
  );
  return answers.at(-1)?.index;
}
