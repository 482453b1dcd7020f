import { type EventEmitter, once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/**
 * The part of `fetch` that the client needs, over node:http. The first use of `fetch` or `Headers` in a process takes
 * longer than the rest of a short command. Errors are those of `fetch`; redirects are not followed.
 */
export const lightFetch: typeof fetch = async (address, init = {}) => {
  const url = new URL(address);
  const request = await opened(url, {
    method: init.method ?? 'GET',
    headers: init.headers as Record<string, string>,
  });
  endWith(init.signal, request);
  try {
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    const sent = send(request, init.body);
    // A server may answer before it has read the whole body.
    sent.catch(() => {});
    const [message] = await Promise.race([answered, sent.then(() => answered)]);
    return answerOf(message);
  } catch (cause) {
    init.signal?.throwIfAborted();
    throw new TypeError('fetch failed', { cause });
  }
};

async function opened(
  url: URL,
  options: { method: string; headers: Record<string, string> },
): Promise<ClientRequest> {
  if (url.protocol === 'http:') return withErrorsIgnored(requestByHttp(url, options));
  if (url.protocol !== 'https:') throw new TypeError(`${url.protocol} is not supported`);
  return withErrorsIgnored((await import('node:https')).request(url, options));
}

/** Prevents an error event without a listener from ending the process. */
function withErrorsIgnored<T extends EventEmitter>(emitter: T): T {
  return emitter.on('error', () => {});
}

/** Passed to node:http, the signal would also destroy a kept-alive connection that another request uses. */
function endWith(signal: AbortSignal | null | undefined, request: ClientRequest): void {
  const abort = (): void => void request.destroy();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  request.once('close', () => signal?.removeEventListener('abort', abort));
}

async function send(request: ClientRequest, body: RequestInit['body'] | undefined): Promise<void> {
  if (body instanceof ReadableStream) await pipeline(Readable.fromWeb(body), request);
  else if (typeof body === 'string' || body instanceof Uint8Array) {
    // Node does not set the length for methods that usually have no body.
    request.setHeader('content-length', Buffer.byteLength(body));
    request.end(body);
  } else request.end();
}

function answerOf(message: IncomingMessage): Response {
  const status = message.statusCode as number;
  const headers = {
    get: (name: string) => {
      const value = message.headers[name.toLowerCase()];
      return value === undefined ? null : String(value);
    },
  };
  const body = ReadableStream.from(bytesOf(withErrorsIgnored(message)));
  const answer = {
    status,
    ok: status >= 200 && status < 300,
    type: 'basic',
    headers,
    body,
    text: () => textOf(body),
  };
  return answer as unknown as Response;
}

async function* bytesOf(message: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* message as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new TypeError('terminated', { cause });
  }
}
