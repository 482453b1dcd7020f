import type { Output } from '../../api/index.ts';
import { type Message, messagesOf, type Part } from '../trial/trace.ts';

export type CallState = 'running' | 'ok' | 'error' | 'unknown';

/** A part of a model's turn: text or a tool call. */
export type Piece =
  | { kind: 'text'; text: string }
  | {
      kind: 'call';
      id: string;
      tool: string;
      state: CallState;
      /** JSON or text. */
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

/** A row of a conversation: an exchange with its turn, if known, or a turn without stored messages. */
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

/** Adds a part. A result is attached to its call. */
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

/** Pairs turns with exchanges in order; failed turns have no exchange. */
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
 * Excludes the turn that is streaming: it may be stored before its end is known here, and before it is listed
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
