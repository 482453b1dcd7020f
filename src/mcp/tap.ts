import type { Transport } from '@modelcontextprotocol/client';
import { hasMoreElements } from '../platform/json-bounds.ts';
import { McpFailure } from './failures.ts';
import { Pace } from './pace.ts';

type Message = Parameters<Transport['send']>[0];
type Received = Parameters<NonNullable<Transport['onmessage']>>[0];

interface Frame {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

type Marker = (token: string) => void;

/** One request as it went over the wire: what the SDK makes of the answer is another matter. */
export interface Exchange {
  method: string;
  sent: boolean;
  /** How the request is known to the other side, once it was sent. */
  id?: string | number;
  /** The message that was sent, and the one that came back. */
  request?: unknown;
  frame?: Frame;
  /** Ends the wait when the answer can no longer come. */
  lost: (failure: McpFailure) => void;
  /** Aborts when nobody waits any longer and no answer has come. */
  over: AbortController;
}

interface TapOptions {
  /** Why the stream that carried an answer broke off, if that is known. */
  streamFailure?: () => McpFailure | undefined;
  /** Somebody answers the server's requests and wants its notifications. */
  participates: boolean;
  /** An answer has arrived, so that its stream has nothing more to say. */
  answered?: ((id: string | number) => void) | undefined;
}

/** The SDK checks what it is given element by element; more than this never comes of an honest exchange. */
const mostForSdk = 5_000;

/** How many requests of a server are answered; the rest is dropped. */
const requestPace = { burst: 50, perSecond: 5 };

/** Milliseconds that our answer to a request of the server may take to be accepted. */
const answerTimeout = 10_000;

/** A result that the SDK has nothing to check in. What came instead is in the exchange. */
const standIn = { resultType: 'complete', content: [] };

/**
 * Keeps the answers of a transport as they came. The SDK strips fields it does not know, refuses content it has no
 * schema for, and takes seconds to do so when there is much of it; users of a testing service want to see exactly
 * those. So the SDK is given a result of no content in their place.
 */
export class Tap {
  private readonly marked = new WeakMap<Marker, Exchange>();
  private readonly waiting = new Map<string | number, Exchange>();
  private readonly options: TapOptions;
  private readonly requests = new Pace(requestPace);

  /** To be called once the SDK has put its own handlers on the transport. */
  constructor(transport: Transport, options: TapOptions) {
    this.options = options;
    const send = transport.send.bind(transport);
    transport.send = (message: Message, sendOptions) => {
      const marker = sendOptions?.onresumptiontoken;
      const exchange = marker && this.marked.get(marker);
      if (!exchange || !isRequest(message) || message.method !== exchange.method)
        return send(message, isAnswer(message) ? { ...sendOptions, ...briefly() } : sendOptions);
      const { id } = message;
      exchange.sent = true;
      exchange.id = id;
      exchange.request = message;
      this.waiting.set(id, exchange);
      const streamEnd = (): void => {
        sendOptions?.onRequestStreamEnd?.();
        if (this.waiting.delete(id))
          exchange.lost(
            options.streamFailure?.() ??
              new McpFailure('closed', 'The server ended the stream without an answer'),
          );
      };
      // In the older era the SDK tells the server that a request is cancelled, and leaves its stream open.
      const requestSignal = sendOptions?.requestSignal ?? exchange.over.signal;
      return send(message, { ...sendOptions, requestSignal, onRequestStreamEnd: streamEnd });
    };
    const receive = transport.onmessage?.bind(transport);
    transport.onmessage = (message, extra) => {
      const passed = this.pass(message);
      if (passed) receive?.(passed, extra);
    };
  }

  /**
   * Options for a request of the SDK whose frames are to be kept in `exchange`. The SDK hands this callback on to the
   * transport, which makes it a label for the request; it is cheaper than following promises through the whole process.
   */
  label(exchange: Exchange): { onresumptiontoken: Marker } {
    const marker = (): void => {};
    this.marked.set(marker, exchange);
    return { onresumptiontoken: marker };
  }

  /** Nobody waits for this one any longer. */
  forget({ id, frame, over }: Exchange): void {
    if (id !== undefined) this.waiting.delete(id);
    if (!frame) over.abort();
  }

  /** The connection is gone: nobody waits any longer. */
  fail(failure: McpFailure): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const exchange of waiting) exchange.lost(failure);
  }

  /** What the SDK gets to see of a message; undefined for nothing. */
  private pass(message: Received): Received | undefined {
    const { participates, answered } = this.options;
    if ('method' in message) {
      if (participates) return message;
      // Nobody here listens to notifications. Requests are refused by the SDK, which sends something for each.
      if (!('id' in message) || hasMoreElements(message, mostForSdk)) return undefined;
      return this.requests.take(1, 0) === 0 ? message : undefined;
    }
    const { id } = message;
    // Like the SDK, which takes `"3"` for an answer to 3.
    const asked = typeof id === 'string' && !this.waiting.has(id) ? Number(id) : id;
    const exchange = asked === undefined ? undefined : this.waiting.get(asked);
    if (asked === undefined || !exchange)
      return participates || !hasMoreElements(message, mostForSdk) ? message : tooMuchFor(id);
    this.waiting.delete(asked);
    exchange.frame = message;
    answered?.(asked);
    if (participates) return message;
    if ('result' in message) return { ...message, result: standIn };
    return hasMoreElements(message, mostForSdk) ? tooMuchFor(id) : message;
  }
}

function tooMuchFor(id: string | number | undefined): Received | undefined {
  if (id === undefined) return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32603, message: 'The answer is too large' } };
}

/** A server that asks and never takes our answer must not keep a socket for each. */
function briefly(): { requestSignal: AbortSignal } {
  return { requestSignal: AbortSignal.timeout(answerTimeout) };
}

function isAnswer(message: Message): boolean {
  return !Array.isArray(message) && !('method' in message);
}

function isRequest(message: Message): message is Extract<Message, { method: string; id: string | number }> {
  return !Array.isArray(message) && 'method' in message && 'id' in message;
}
