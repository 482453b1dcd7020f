import { type EventEmitter, once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/**
 * As much of `fetch` as the client needs, over the HTTP of Node. The first use of `fetch` in a process costs more than
 * all the rest of a short command, and so does the first `Headers`. It fails with the same errors, and follows nothing.
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
    // Whoever refuses early need not read all of it.
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
  if (url.protocol === 'http:') return heeded(requestByHttp(url, options));
  if (url.protocol !== 'https:') throw new TypeError(`${url.protocol} is not spoken here`);
  return heeded((await import('node:https')).request(url, options));
}

/** Whoever waits for it is told of an error; when nobody does any more, that is no reason to end. */
function heeded<T extends EventEmitter>(emitter: T): T {
  return emitter.on('error', () => {});
}

/** Handed to Node, the signal would also end the connection, when another request has it. */
function endWith(signal: AbortSignal | null | undefined, request: ClientRequest): void {
  const giveUp = (): void => void request.destroy();
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  request.once('close', () => signal?.removeEventListener('abort', giveUp));
}

async function send(request: ClientRequest, body: RequestInit['body'] | undefined): Promise<void> {
  if (body instanceof ReadableStream) await pipeline(Readable.fromWeb(body), request);
  else if (typeof body === 'string' || body instanceof Uint8Array) {
    // Node says nothing of the length where a method usually has no body.
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
  const body = ReadableStream.from(bytesOf(heeded(message)));
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
