import { DrydockError } from '../../../client/error.ts';
import type { VisitOutput } from '../../../client/visit.ts';
import { newKey } from '../kit/new-key.ts';

type VisitEvent = VisitOutput<'sendVisitMessage'>;
type Stored = VisitOutput<'getVisitSession'>['messages'];
type ShownCall = Stored[number]['calls'][number];

export interface Call {
  kind: 'call';
  id: string;
  tool: string;
  state: 'asks' | 'running' | ShownCall['status'];
  input: unknown;
  output: unknown;
  widget: boolean;
  /** When the approval request times out and is declined, on this device's clock. */
  until: number | undefined;
}

type Piece = { kind: 'text'; text: string } | Call;

export interface Exchange {
  said: string;
  pieces: Piece[];
}

/** An exchange sent from this page. */
export interface Turn extends Exchange {
  key: string;
  /** `lost`: the connection broke, so the outcome is unknown. */
  state: 'sending' | 'waiting' | 'running' | 'ended' | 'failed' | 'stopped' | 'lost';
  /** ID of the conversation it was sent to; undefined if it starts a new one. */
  sentTo: string | undefined;
  sessionId: string | undefined;
  turnId: string | undefined;
  /** Milliseconds by which this device's clock is ahead of the server's. */
  ahead: number;
  error: unknown;
  /** The turn had already ended; its result is in the stored conversation. */
  replay: boolean;
}

export function sent(said: string, sentTo: string | undefined, key: string = newKey()): Turn {
  return {
    key,
    said,
    pieces: [],
    state: 'sending',
    sentTo,
    sessionId: sentTo,
    turnId: undefined,
    ahead: 0,
    error: undefined,
    replay: false,
  };
}

/** Resends a lost turn with the same idempotency key, so that nothing runs twice. */
export function again({ said, sentTo, key, state }: Turn): Turn {
  return state === 'lost' ? sent(said, sentTo, key) : sent(said, sentTo);
}

export function isOpen({ state }: Turn): boolean {
  return state === 'sending' || state === 'waiting' || state === 'running';
}

export function exchangesOf(messages: Stored): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const { role, text, calls } of messages) {
    if (role === 'user') exchanges.push({ said: text, pieces: [] });
    else {
      if (exchanges.length === 0) exchanges.push({ said: '', pieces: [] });
      const { pieces } = exchanges.at(-1) as Exchange;
      if (text !== '') pieces.push({ kind: 'text', text });
      for (const call of calls) pieces.push({ ...begun(call), ...outcomeOf(call) });
    }
  }
  return exchanges;
}

export function afterEvent(turn: Turn, event: VisitEvent): Turn {
  const { pieces, ahead } = turn;
  switch (event.type) {
    case 'turn.started': {
      const { sessionId, turnId, at } = event;
      return { ...turn, state: 'running', sessionId, turnId, ahead: Date.now() - at };
    }
    case 'text':
      return { ...turn, pieces: withText(pieces, event.text) };
    case 'text.restarted': {
      const kept = pieces.findLastIndex(({ kind }) => kind === 'call') + 1;
      return { ...turn, pieces: pieces.slice(0, kept) };
    }
    case 'tool.asks':
      return {
        ...turn,
        pieces: [...pieces, { ...begun(event), state: 'asks', until: event.until + ahead }],
      };
    case 'tool.started':
      return pieces.some((piece) => isCall(piece, event.toolCallId))
        ? withCall(turn, event.toolCallId, { state: 'running' })
        : { ...turn, pieces: [...pieces, begun(event)] };
    case 'tool.ended':
      return withCall(turn, event.toolCallId, { state: event.status });
    case 'turn.ended':
      return finished(turn, event);
    case 'turn.failed':
      return { ...turn, state: 'failed', error: refusalIn(event) };
  }
}

function finished(turn: Turn, event: Extract<VisitEvent, { type: 'turn.ended' }>): Turn {
  const { sessionId, turnId, calls, replay = false } = event;
  const ended: Turn = { ...turn, state: 'ended', sessionId: sessionId ?? turn.sessionId, turnId, replay };
  return calls.reduce((last, call) => withCall(last, call.toolCallId, outcomeOf(call)), ended);
}

function withText(pieces: Piece[], text: string): Piece[] {
  const last = pieces.at(-1);
  if (last?.kind !== 'text') return [...pieces, { kind: 'text', text }];
  return [...pieces.slice(0, -1), { kind: 'text', text: last.text + text }];
}

export function withCall(turn: Turn, id: string, told: Partial<Call>): Turn {
  const at = turn.pieces.findLastIndex((piece) => isCall(piece, id));
  const pieces = turn.pieces.map((piece, place) =>
    place === at && piece.kind === 'call' ? { ...piece, ...told } : piece,
  );
  return { ...turn, pieces };
}

function isCall(piece: Piece, id: string): boolean {
  return piece.kind === 'call' && piece.id === id;
}

function begun(call: Pick<ShownCall, 'toolCallId' | 'toolName' | 'input'>): Call {
  const { toolCallId: id, toolName: tool, input } = call;
  return {
    kind: 'call',
    id,
    tool,
    state: 'running',
    input,
    output: undefined,
    widget: false,
    until: undefined,
  };
}

function outcomeOf({ status: state, output, errorMessage, widget }: ShownCall): Partial<Call> {
  return { state, output: errorMessage ?? output, widget };
}

/** Converts a failure event into the error of a refused request. */
function refusalIn({ code, message, details }: Extract<VisitEvent, { type: 'turn.failed' }>): DrydockError {
  return new DrydockError(new Response(null, { status: 500 }), { code, message, details: details ?? null });
}

export function wordsFor(error: unknown): string {
  // Access was regained in the meantime; otherwise the visit would be closed.
  if (reasonOf(error) === 'ACCESS_ENDED') return 'Interrupted.';
  if (error instanceof DrydockError) return `${error.message.replace(/\.$/, '')}.`;
  return 'The connection was lost.';
}

function reasonOf(error: unknown): unknown {
  return error instanceof DrydockError ? error.details['reason'] : undefined;
}

/** Whether the conversation cannot continue, so that a new one is needed. */
export function endsConversation({ error }: Turn): boolean {
  const reason = reasonOf(error);
  return reason === 'SESSION_ENDED' || reason === 'SESSION_FULL';
}

/** Milliseconds to wait before retrying a turn that another one blocks. */
export function waitAfter(error: unknown): number | undefined {
  if (!(error instanceof DrydockError) || reasonOf(error) !== 'TURN_IN_PROGRESS') return undefined;
  const told = error.details['retryAfterMs'];
  return typeof told === 'number' ? Math.min(Math.max(told, 250), 5_000) : 1_000;
}
