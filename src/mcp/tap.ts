import type { Transport } from '@modelcontextprotocol/client';
import { Pacer } from '../platform/flow/pacer.ts';
import { hasMoreElements } from '../platform/json/bounds.ts';
import { McpFailure } from './failures.ts';

type Message = Parameters<Transport['send']>[0];
type Received = Parameters<NonNullable<Transport['onmessage']>>[0];

interface Frame {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

type Marker = (token: string) => void;

/** A request as sent over the wire, independently of the SDK's view of it. */
export interface Exchange {
  method: string;
  sent: boolean;
  /** The ID of the request, once it was sent. */
  id?: string | number;
  /** The request and response messages. */
  request?: unknown;
  frame?: Frame;
  /** Ends the wait if the answer can no longer arrive. */
  lost: (failure: McpFailure) => void;
  /** Aborts when the request was abandoned without an answer. */
  over: AbortController;
}

interface TapOptions {
  /** Why the stream of an answer broke off, if known. */
  streamFailure?: () => McpFailure | undefined;
  /** A participant answers the server's requests and receives its notifications. */
  participates: boolean;
  /** Called when an answer has arrived, after which its stream is not needed. */
  answered?: ((id: string | number) => void) | undefined;
}

/** Maximum elements of a message for the SDK, which validates each element. Honest messages have fewer. */
const maxForSdk = 5_000;

/** Limits the server requests that are answered; the rest is dropped. */
const requestPace = { burst: 50, perSecond: 5 };

/** Milliseconds that the server has to accept our answer to its request. */
const answerTimeout = 10_000;

/** A placeholder result for the SDK, without content to validate. The actual result is in the exchange. */
const standIn = { resultType: 'complete', content: [] };

/**
 * Keeps the messages of a transport unchanged. The SDK strips unknown fields, refuses content without a schema, and
 * takes seconds on large results, but users of a testing service need to see the original messages. So the SDK gets a
 * placeholder without content.
 */
export class Tap {
  private readonly marked = new WeakMap<Marker, Exchange>();
  private readonly waiting = new Map<string | number, Exchange>();
  private readonly options: TapOptions;
  private readonly requests = new Pacer(requestPace);

  /** Call this after the SDK has installed its handlers on the transport. */
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
      // In the legacy era the SDK notifies the server of a cancelled request, but leaves its stream open.
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
   * Options for an SDK request whose frames are recorded in `exchange`. The SDK passes this callback to the transport,
   * where it identifies the request; async context tracking would be slower.
   */
  label(exchange: Exchange): { onresumptiontoken: Marker } {
    const marker = (): void => {};
    this.marked.set(marker, exchange);
    return { onresumptiontoken: marker };
  }

  /** The request was abandoned. */
  forget({ id, frame, over }: Exchange): void {
    if (id !== undefined) this.waiting.delete(id);
    if (!frame) over.abort();
  }

  /** The connection is gone: all pending requests fail. */
  fail(failure: McpFailure): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const exchange of waiting) exchange.lost(failure);
  }

  /** The part of a message that the SDK sees, or undefined. */
  private pass(message: Received): Received | undefined {
    const { participates, answered } = this.options;
    if ('method' in message) {
      if (participates) return message;
      // Notifications have no listener. The SDK refuses requests, each with a response.
      if (!('id' in message) || hasMoreElements(message, maxForSdk)) return undefined;
      return this.requests.take(1, 0) === 0 ? message : undefined;
    }
    const { id } = message;
    // Like the SDK, accepts ID `"3"` as an answer to 3.
    const asked = typeof id === 'string' && !this.waiting.has(id) ? Number(id) : id;
    const exchange = asked === undefined ? undefined : this.waiting.get(asked);
    if (asked === undefined || !exchange)
      return participates || !hasMoreElements(message, maxForSdk) ? message : tooMuchFor(id);
    this.waiting.delete(asked);
    exchange.frame = message;
    answered?.(asked);
    if (participates) return message;
    if ('result' in message) return { ...message, result: standIn };
    return hasMoreElements(message, maxForSdk) ? tooMuchFor(id) : message;
  }
}

function tooMuchFor(id: string | number | undefined): Received | undefined {
  if (id === undefined) return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32603, message: 'The answer is too large' } };
}

/** A server that never accepts our answers must not occupy a socket for each. */
function briefly(): { requestSignal: AbortSignal } {
  return { requestSignal: AbortSignal.timeout(answerTimeout) };
}

function isAnswer(message: Message): boolean {
  return !Array.isArray(message) && !('method' in message);
}

function isRequest(message: Message): message is Extract<Message, { method: string; id: string | number }> {
  return !Array.isArray(message) && 'method' in message && 'id' in message;
}
