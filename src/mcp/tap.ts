import type { Transport } from '@modelcontextprotocol/client';
import { McpFailure } from './failures.ts';

type Message = Parameters<Transport['send']>[0];

interface Frame {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

type Marker = (token: string) => void;

/** One request as it went over the wire: what the SDK makes of the answer is another matter. */
export interface Exchange {
  method: string;
  sent: boolean;
  frame?: Frame;
  /** Ends the wait when the answer can no longer come. */
  lost: (failure: McpFailure) => void;
}

/**
 * Keeps the answers of a transport as they came. The SDK strips fields it does not know and refuses content it has
 * no schema for; users of a testing service want to see exactly those.
 */
export class Tap {
  private readonly marked = new WeakMap<Marker, Exchange>();
  private readonly waiting = new Map<string | number, Exchange>();

  /** To be called once the SDK has put its own handlers on the transport. */
  constructor(transport: Transport, streamFailure: () => McpFailure | undefined = () => undefined) {
    const send = transport.send.bind(transport);
    transport.send = (message: Message, options) => {
      const marker = options?.onresumptiontoken;
      const exchange = marker && this.marked.get(marker);
      if (!exchange || !isRequest(message) || message.method !== exchange.method)
        return send(message, options);
      const { id } = message;
      exchange.sent = true;
      this.waiting.set(id, exchange);
      const streamEnd = (): void => {
        options?.onRequestStreamEnd?.();
        if (this.waiting.delete(id))
          exchange.lost(
            streamFailure() ?? new McpFailure('closed', 'The server ended the stream without an answer'),
          );
      };
      return send(message, { ...options, onRequestStreamEnd: streamEnd });
    };
    const receive = transport.onmessage?.bind(transport);
    transport.onmessage = (message, extra) => {
      if ('id' in message && message.id !== undefined && !('method' in message)) {
        const exchange = this.waiting.get(message.id);
        if (exchange) exchange.frame = message;
        this.waiting.delete(message.id);
      }
      receive?.(message, extra);
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

  /** The connection is gone: nobody waits any longer. */
  fail(failure: McpFailure): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const exchange of waiting) exchange.lost(failure);
  }
}

function isRequest(message: Message): message is Extract<Message, { method: string; id: string | number }> {
  return !Array.isArray(message) && 'method' in message && 'id' in message;
}
