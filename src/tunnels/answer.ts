import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TunnelFailure, type TunnelRequest, type TunnelResponse } from './relay-connection.ts';
import { forwardedHeaders, type HeaderList, pairs } from './wire.ts';

interface Through {
  path: string;
  /** Request headers that are not forwarded. */
  without: readonly string[];
  /** Rewrites the response headers. */
  shown?: (headers: HeaderList) => HeaderList;
  send: (request: TunnelRequest) => Promise<TunnelResponse>;
}

/**
 * Answers an HTTP request with a streamed response from a tunnel. A disconnect of the caller aborts the request. A
 * failure before the response began is returned; later the connection is destroyed, so that a partial response is not
 * mistaken for a complete one.
 */
export async function sendThrough(
  request: IncomingMessage,
  response: ServerResponse,
  { path, without, shown, send }: Through,
): Promise<TunnelFailure | undefined> {
  const gone = new AbortController();
  const hungUp = (): void => gone.abort();
  response.once('close', hungUp);
  const { method = 'GET', headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  try {
    const answer = await send({
      method,
      path,
      headers: forwardedHeaders(pairs(request.rawHeaders), without),
      body: hasBody ? bodyOf(request) : undefined,
      signal: gone.signal,
    });
    const { length, others } = lengthIn(shown?.(answer.headers) ?? answer.headers);
    const stated = length === undefined ? [] : ['content-length', String(length)];
    response.writeHead(answer.status, [...others.flat(), ...stated]);
    response.flushHeaders();
    const isBodiless = method === 'HEAD' || answer.status === 204 || answer.status === 304;
    let left = isBodiless ? 0 : (length ?? Number.POSITIVE_INFINITY);
    for await (const chunk of answer.body) {
      left -= chunk.length;
      if (left < 0) throw new TunnelFailure('upstream_error', 'The answer is longer than its content-length');
      if (!response.write(chunk)) await once(response, 'drain', { signal: gone.signal });
    }
    if (left > 0 && left !== Number.POSITIVE_INFINITY)
      throw new TunnelFailure('upstream_error', 'The answer is shorter than its content-length');
    response.end();
  } catch (error) {
    // The rest of the response is not needed.
    gone.abort();
    if (response.headersSent || response.destroyed) response.destroy();
    else return error instanceof TunnelFailure ? error : new TunnelFailure('upstream_error', String(error));
  } finally {
    response.off('close', hungUp);
  }
  return undefined;
}

/**
 * The content length of a response, and its other headers. An ambiguous length, such as two values or one with a sign,
 * is dropped, and Node sends the body in chunks: the framing must be ours, because further responses follow on the same
 * connection.
 */
function lengthIn(headers: HeaderList): { length: number | undefined; others: HeaderList } {
  const isLength = ([name]: HeaderList[number]): boolean => name.toLowerCase() === 'content-length';
  const stated = headers.filter(isLength).map(([, value]) => value);
  const [text = ''] = stated;
  const length = Number(text);
  const isPlain = stated.length === 1 && /^\d{1,15}$/.test(text);
  return { length: isPlain ? length : undefined, others: headers.filter((header) => !isLength(header)) };
}

/**
 * A response may arrive before the whole request was read. The unread rest must not close the connection, and must not
 * precede the next request on it.
 */
async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } finally {
    request.resume();
  }
}
