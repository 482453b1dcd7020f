import type { Output } from '../../api/index.ts';
import { type Message, messagesOf, type Part } from '../trial/trace.ts';

export type CallState = 'running' | 'ok' | 'error' | 'unknown';

/** A piece of what a model did in a turn: it said something, or it called a tool. */
export type Piece =
  | { kind: 'text'; text: string }
  | {
      kind: 'call';
      id: string;
      tool: string;
      state: CallState;
      /** As JSON or as text. */
      input: string;
      output: string | undefined;
      durationMs: number | undefined;
    };

export type Call = Extract<Piece, { kind: 'call' }>;

export interface Exchange {
  /** Index of its first message. */
  index: number;
  said: string;
  pieces: Piece[];
}

export type Turn = Output<'getChatSessionTrace'>['turns'][number];

/** A line of a conversation: an exchange with its turn, where that is known, or a turn of which no word was kept. */
export type Entry = { exchange: Exchange; turn: Turn | undefined } | { exchange: undefined; turn: Turn };

export function exchangesOf(messages: unknown): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const message of messagesOf({ messages })) {
    if (message.role === 'user' || exchanges.length === 0)
      exchanges.push({ index: message.index, said: '', pieces: [] });
    const exchange = exchanges.at(-1) as Exchange;
    if (message.role === 'user') exchange.said = wordsOf(message);
    else for (const part of message.parts) add(exchange.pieces, part);
  }
  return exchanges;
}

function wordsOf({ parts }: Message): string {
  return parts.map(({ text }) => text).join('\n');
}

/** A result goes to its call. */
function add(pieces: Piece[], { kind, text, tool, toolCallId, failed }: Part): void {
  const call = { kind: 'call', tool: tool ?? 'a tool', durationMs: undefined } as const;
  if (kind === 'call') {
    pieces.push({ ...call, id: toolCallId ?? '', state: 'unknown', input: text, output: undefined });
  } else if (kind === 'result') {
    const state = failed ? 'error' : 'ok';
    const made = pieces.findLast((piece): piece is Call => piece.kind === 'call' && piece.id === toolCallId);
    if (made) Object.assign(made, { state, output: text });
    else pieces.push({ ...call, id: toolCallId ?? '', state, input: '', output: text });
  } else if (text !== '') pieces.push({ kind: 'text', text });
}

/** Turns that ended well left one exchange each, in their order; the others left none. */
export function entriesOf(exchanges: readonly Exchange[], turns: readonly Turn[]): Entry[] {
  const left = [...exchanges];
  const told = turns
    .toSorted((a, b) => a.promptIndex - b.promptIndex)
    .flatMap((turn): Entry[] => {
      if (turn.status === 'failed') return [{ exchange: undefined, turn }];
      const exchange = left.shift();
      return exchange ? [{ exchange, turn }] : [];
    });
  return [...told, ...left.map((exchange) => ({ exchange, turn: undefined }))];
}

/**
 * Without the turn that is shown as it comes: it may be stored before its end is known here, and read before it is known
 * as a turn.
 */
export function withoutLive(
  entries: readonly Entry[],
  live: { turnId: string; said: string } | undefined,
): Entry[] {
  if (!live) return [...entries];
  const others = entries.filter(({ turn }) => turn?.turnId !== live.turnId);
  const last = others.at(-1);
  const isSame = last?.exchange !== undefined && last.turn === undefined && last.exchange.said === live.said;
  return isSame ? others.slice(0, -1) : others;
}
