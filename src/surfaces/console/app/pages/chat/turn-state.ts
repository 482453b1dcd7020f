import { DrydockError } from '../../../../client/index.ts';
import type { Input, Output } from '../../api/index.ts';
import { jsonWithin } from '../../kit/json.ts';
import { cut, textOf } from '../../kit/text.ts';
import type { Call, Piece } from './exchanges.ts';

export type Body = Input<'streamChatMessage'>['body'];
type ChatEvent = Output<'streamChatMessage'>;
type Ended = Output<'sendChatMessage'>;

/** A turn sent from this tab, until the loaded session includes it. */
export interface LiveTurn {
  body: Body;
  /** `lost`: the connection broke, so the outcome is unknown. */
  state: 'sending' | 'waiting' | 'running' | 'ended' | 'failed' | 'stopped' | 'lost';
  sessionId: string | undefined;
  turnId: string | undefined;
  pieces: Piece[];
  error: unknown;
  turn: Ended | undefined;
}

export function sent(body: Body): LiveTurn {
  return {
    body,
    state: 'sending',
    sessionId: body.sessionId,
    turnId: undefined,
    pieces: [],
    error: undefined,
    turn: undefined,
  };
}

export function isOpen({ state }: LiveTurn): boolean {
  return state === 'sending' || state === 'waiting' || state === 'running';
}

/** Maximum characters of arguments and results; the stored chat has all of them. */
const maxOfCall = 20_000;

export function afterEvent(turn: LiveTurn, event: ChatEvent): LiveTurn {
  const { pieces } = turn;
  switch (event.type) {
    case 'turn.started':
      return { ...turn, state: 'running', sessionId: event.sessionId, turnId: event.turnId };
    case 'text':
      return { ...turn, pieces: withText(pieces, event.text) };
    case 'text.restarted': {
      const kept = pieces.findLastIndex(({ kind }) => kind === 'call') + 1;
      return { ...turn, pieces: pieces.slice(0, kept) };
    }
    case 'tool.started':
      return { ...turn, pieces: [...pieces, begun(event)] };
    case 'tool.ended': {
      const { toolCallId, status: state, durationMs } = event;
      return { ...turn, pieces: withCall(pieces, toolCallId, { state, durationMs }) };
    }
    case 'turn.ended':
      return ended(turn, event.turn);
    case 'turn.failed':
      return { ...turn, state: 'failed', error: refusalIn(event) };
  }
}

function withText(pieces: Piece[], text: string): Piece[] {
  const last = pieces.at(-1);
  if (last?.kind !== 'text') return [...pieces, { kind: 'text', text }];
  return [...pieces.slice(0, -1), { kind: 'text', text: last.text + text }];
}

function withCall(pieces: Piece[], id: string, told: Partial<Call>): Piece[] {
  const at = pieces.findLastIndex((piece) => piece.kind === 'call' && piece.id === id);
  return pieces.map((piece, place) => (place === at ? { ...(piece as Call), ...told } : piece));
}

function begun({ toolCallId, toolName, input }: Extract<ChatEvent, { type: 'tool.started' }>): Call {
  return {
    kind: 'call',
    id: toolCallId,
    tool: cut(toolName),
    state: 'running',
    input: shown(input),
    output: undefined,
    durationMs: undefined,
  };
}

/** The response includes the tool results, which events omit. */
function ended(turn: LiveTurn, answer: Ended): LiveTurn {
  let { pieces } = turn;
  for (const { toolCallId, status: state, output, errorMessage } of answer.toolCalls ?? [])
    pieces = withCall(pieces, toolCallId, { state, output: errorMessage ?? shown(output) });
  const { turnId } = answer;
  return {
    ...turn,
    state: 'ended',
    sessionId: answer.sessionId ?? turn.sessionId,
    turnId,
    pieces,
    turn: answer,
  };
}

function shown(value: unknown): string {
  if (typeof value === 'string') return cut(value, maxOfCall);
  const { text, whole } = jsonWithin(value, maxOfCall, 2);
  return whole ? text : `${text}…`;
}

/** Converts a failure event into the error of a refused request. */
function refusalIn({ code, message, details }: Extract<ChatEvent, { type: 'turn.failed' }>): DrydockError {
  return new DrydockError(new Response(null, { status: 500 }), { code, message, details: details ?? null });
}

export function reasonOf(error: unknown): string | undefined {
  return error instanceof DrydockError ? textOf(error.details['reason']) || undefined : undefined;
}

/** Whether a retry with the same idempotency key would fail again. */
export function needsNewKey({ error }: LiveTurn): boolean {
  return ['TURN_FAILED', 'TURN_TIMEOUT', 'IDEMPOTENCY_KEY_REUSED'].includes(reasonOf(error) ?? '');
}

/** Milliseconds to wait before retrying a turn that another one blocks. */
export function waitAfter(error: unknown): number | undefined {
  if (reasonOf(error) !== 'TURN_IN_PROGRESS') return undefined;
  const told = (error as DrydockError).details['retryAfterMs'];
  return typeof told === 'number' ? Math.min(Math.max(told, 250), 5_000) : 1_000;
}
