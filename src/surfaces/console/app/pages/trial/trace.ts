import type { Output } from '../../api/index.ts';
import { listIn, numberIn, textIn } from '../../kit/given.ts';
import { jsonWithin } from '../../kit/json.ts';
import { counted } from '../../kit/numbers.ts';
import { cut } from '../../kit/text.ts';

export type Trace = Output<'getEvalIterationTrace'>;

/** A span of a trial. Untrusted, so any field may be missing. */
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
  /** Nesting level, at most `maxDepth`. */
  depth: number;
}

type Raw = Record<string, unknown>;

function asRaw(value: unknown): Raw {
  return typeof value === 'object' && value !== null ? (value as Raw) : {};
}

/** Maximum indentation level. */
const maxDepth = 6;

/** Reads the spans of a trace and skips those without ID or start. Sorted by start, then by depth. */
export function spansOf({ spans }: { spans?: unknown }): Span[] {
  const read = listIn(spans).flatMap((given): Span[] => {
    const raw = asRaw(given);
    const [id, start] = [textIn(raw['id']), numberIn(raw['startMs'])];
    if (id === undefined || start === undefined) return [];
    return [
      {
        id,
        parentId: textIn(raw['parentId']),
        name: cut(textIn(raw['name']) ?? id),
        category: cut(textIn(raw['category']) ?? 'step', 40),
        start,
        end: Math.max(start, numberIn(raw['endMs']) ?? start),
        failed: raw['status'] === 'error',
        promptIndex: numberIn(raw['promptIndex']),
        toolCallId: textIn(raw['toolCallId']),
        tokens: numberIn(raw['totalTokens']),
        depth: 0,
      },
    ];
  });
  const byId = new Map(read.map((span) => [span.id, span]));
  for (const span of read) {
    let around = byId.get(span.parentId ?? '');
    while (around && span.depth < maxDepth) {
      span.depth++;
      around = byId.get(around.parentId ?? '');
    }
  }
  return read.toSorted((a, b) => a.start - b.start || a.depth - b.depth);
}

/** A part of a message. */
export interface Part {
  kind: 'text' | 'call' | 'result' | 'other';
  text: string;
  /** Name of the tool, for a call or its result. */
  tool: string | undefined;
  toolCallId: string | undefined;
  failed: boolean;
}

export interface Message {
  index: number;
  role: string;
  /** Index of the case's prompt; -1 before the first. */
  turn: number;
  parts: Part[];
}

export function messagesOf({ messages }: { messages?: unknown }): Message[] {
  let turn = -1;
  return listIn(messages).map((given, index) => {
    const raw = asRaw(given);
    const role = cut(textIn(raw['role']) ?? 'unknown', 40);
    if (role === 'user') turn++;
    return { index, role, turn, parts: partsOf(raw['content']) };
  });
}

/** Maximum parts of a message, and characters of a part, that are shown. */
const maxParts = 100;
const maxCharacters = 20_000;

function partsOf(content: unknown): Part[] {
  if (typeof content === 'string') return [part('text', content)];
  if (!Array.isArray(content))
    return content === undefined || content === null ? [] : [part('other', shown(content))];
  const parts = content.slice(0, maxParts).map(partOf);
  const more = content.length - parts.length;
  return more > 0
    ? [...parts, part('text', `${counted(more, 'more part is', 'more parts are')} not shown.`)]
    : parts;
}

function partOf(given: unknown): Part {
  const raw = asRaw(given);
  const about = {
    tool: cut(textIn(raw['toolName']) ?? '') || undefined,
    toolCallId: textIn(raw['toolCallId']),
  };
  if (raw['type'] === 'text') return part('text', textIn(raw['text']) ?? '');
  if (raw['type'] === 'tool-call') return { ...part('call', shown(raw['input'] ?? raw['args'])), ...about };
  if (raw['type'] !== 'tool-result') return part('other', shown(given));
  const output = (raw['output'] ?? raw['result']) as Raw | undefined;
  const value = typeof output === 'object' && output !== null && 'value' in output ? output['value'] : output;
  const failed = /error/.test(textIn(asRaw(output)['type']) ?? '') || raw['isError'] === true;
  return { ...part('result', shown(value)), ...about, failed };
}

function part(kind: Part['kind'], said: string): Part {
  return { kind, text: said, tool: undefined, toolCallId: undefined, failed: false };
}

/** Formatted for reading. Truncated text says so. */
function shown(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return ended(jsonWithin(value, maxCharacters, 2));
  const cutText = { text: value.slice(0, maxCharacters), whole: value.length <= maxCharacters };
  if (!/^\s*[{[]/.test(value) || !cutText.whole) return ended(cutText);
  try {
    return ended(jsonWithin(JSON.parse(value), maxCharacters, 2));
  } catch {
    return value;
  }
}

function ended({ text, whole }: { text: string; whole: boolean }): string {
  return whole ? text : `${text}…\n(Truncated. The API returns all of it.)`;
}

/** The tool call of a span, or of the widget that the span belongs to. */
export function callAround(span: Span, spans: readonly Span[]): string | undefined {
  let around: Span | undefined = span;
  for (let depth = 0; around && depth <= maxDepth; depth++) {
    if (around.toolCallId !== undefined) return around.toolCallId;
    const { parentId }: Span = around;
    around = parentId === undefined ? undefined : spans.find(({ id }) => id === parentId);
  }
  return undefined;
}

/** The message a span produced: the result of its tool, or the model's answer in that step. */
export function messageOfSpan(
  span: Span,
  spans: readonly Span[],
  messages: readonly Message[],
): number | undefined {
  const call = callAround(span, spans);
  if (call !== undefined) {
    const ofCall = (message: Message): boolean => message.parts.some(({ toolCallId }) => toolCallId === call);
    return messages.findLast(ofCall)?.index;
  }
  const model =
    span.category === 'llm'
      ? span
      : spans.find(({ parentId, category }) => parentId === span.id && category === 'llm');
  const nth = spans.filter(({ category }) => category === 'llm').indexOf(model ?? span);
  return nth < 0 ? undefined : messages.filter(({ role }) => role === 'assistant')[nth]?.index;
}

/** The answer a check reads: the last of its turn, or of the trial. */
export function answerOfTurn(messages: readonly Message[], turn: number | undefined): number | undefined {
  const answers = messages.filter(
    (message) => message.role === 'assistant' && (turn === undefined || message.turn === turn),
  );
  return answers.at(-1)?.index;
}
