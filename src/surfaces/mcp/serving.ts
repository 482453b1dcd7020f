import { setMaxListeners } from 'node:events';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { newId } from '../../platform/ids.ts';

type Product = ReturnType<McpServerFactory>;

/** One POST that was let in. */
export interface Post {
  url: string;
  headers: Headers;
  message: Record<string, unknown>;
  /** Who sends it: nobody else can cancel what it began. */
  caller: string;
  /** Aborts when the sender is gone. */
  gone: AbortSignal;
  /** The server that answers it. */
  server: () => Product;
}

/** Answers messages of both eras; each by a server of its own. */
export interface Serving {
  answer: (post: Post) => Promise<Response>;
  close: () => Promise<void>;
}

const sessionHeader = 'mcp-session-id';
const mostSubscriptions = 200;

export function createServing(ending: AbortSignal, failed: (error: unknown) => void): Serving {
  setMaxListeners(0, ending);
  // What makes the server goes along with the request in the one place that is handed on untouched.
  const factory: McpServerFactory = ({ authInfo }) => {
    const make = authInfo?.extra?.['server'] as Post['server'];
    return make();
  };
  const handler = createMcpHandler(factory, {
    maxSubscriptions: mostSubscriptions,
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
      // A subscription would go on for ever; everything else that runs hears of the end itself.
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
        return whenRead(response, over);
      } catch (error) {
        over();
        throw error;
      }
    },
    close: () => handler.close(),
  };
}

/**
 * In the older era a request is cancelled by another one, which a fresh server receives. They belong together by the
 * session, which is a name and nothing else: no state is kept under it.
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

/** Calls `over` when the body of a response has been read, or nobody reads it any longer. */
function whenRead(response: Response, over: () => void): Response {
  if (!response.body) {
    over();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
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
  return new Response(body, { status: response.status, headers: response.headers });
}
