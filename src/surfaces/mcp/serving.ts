import { setMaxListeners } from 'node:events';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { newId } from '../../platform/ids.ts';

type Product = ReturnType<McpServerFactory>;

/** An authenticated POST. */
export interface Post {
  url: string;
  headers: Headers;
  message: Record<string, unknown>;
  /** The sender, who alone can cancel its requests. */
  caller: string;
  /** Aborts when the sender disconnects. */
  gone: AbortSignal;
  /** Creates the server that answers it. */
  server: () => Product;
}

export interface PostAnswer {
  status: number;
  headers: Headers;
  /** A text, or an event stream. */
  body: string | ReadableStream<Uint8Array>;
}

/** Answers messages of both protocol generations, each with a new server. */
export interface Serving {
  answer: (post: Post) => Promise<PostAnswer>;
  close: () => Promise<void>;
}

const sessionHeader = 'mcp-session-id';
const subscriptionLimit = 200;

export function createServing(ending: AbortSignal, failed: (error: unknown) => void): Serving {
  setMaxListeners(0, ending);
  // authInfo is the only part of a request that the handler passes to the factory unchanged.
  const factory: McpServerFactory = ({ authInfo }) => {
    const make = authInfo?.extra?.['server'] as Post['server'];
    return make();
  };
  const handler = createMcpHandler(factory, {
    maxSubscriptions: subscriptionLimit,
    onerror: (error) => failed(error),
  });
  const running = new Map<string, AbortController>();
  return {
    answer: async (post) => {
      const cancelled = nameOfCancelled(post);
      if (cancelled !== undefined) running.get(cancelled)?.abort();
      const stop = new AbortController();
      const name = nameOf(post, post.message['id']);
      if (name !== undefined) running.set(name, stop);
      // A subscription does not end by itself at shutdown; other requests see the signal.
      const until = post.message['method'] === 'subscriptions/listen' ? [post.gone, ending] : [post.gone];
      const abort = (): void => stop.abort();
      for (const signal of until) signal.addEventListener('abort', abort);
      if (until.some(({ aborted }) => aborted)) abort();
      const over = (): void => {
        for (const signal of until) signal.removeEventListener('abort', abort);
        if (name !== undefined && running.get(name) === stop) running.delete(name);
      };
      const request = new Request(post.url, { method: 'POST', headers: post.headers, signal: stop.signal });
      const authInfo = { token: '', clientId: '', scopes: [], extra: { server: post.server } };
      try {
        const response = await handler.fetch(request, { authInfo, parsedBody: post.message });
        if (post.message['method'] === 'initialize') response.headers.set(sessionHeader, newId('mcp'));
        return await answerOf(response, over);
      } catch (error) {
        over();
        throw error;
      }
    },
    close: () => handler.close(),
  };
}

/**
 * Names a running request, so that a `notifications/cancelled` message, which another server receives, can abort it.
 * The session ID is only part of the name; no state is stored for it.
 */
function nameOf({ caller, headers }: Post, id: unknown): string | undefined {
  const session = headers.get(sessionHeader);
  if (session === null || (typeof id !== 'string' && typeof id !== 'number')) return undefined;
  return JSON.stringify([caller, session, id]);
}

function nameOfCancelled(post: Post): string | undefined {
  if (post.message['method'] !== 'notifications/cancelled') return undefined;
  return nameOf(post, (post.message['params'] as { requestId?: unknown } | undefined)?.requestId);
}

/** Streaming a short body would take longer than producing it. */
async function answerOf(response: Response, over: () => void): Promise<PostAnswer> {
  const { status, headers, body } = response;
  if (body && headers.get('content-type')?.startsWith('text/event-stream'))
    return { status, headers, body: whenRead(body, over) };
  over();
  return { status, headers, body: await response.text() };
}

/** Calls `over` when the stream has been read or cancelled. */
function whenRead(stream: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        over();
        controller.close();
      } catch (error) {
        over();
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      over();
      await reader.cancel(reason).catch(() => {});
    },
  });
}
