import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TunnelFailure, type TunnelRequest, type TunnelResponse } from './relay-connection.ts';
import { type HeaderList, handedOn, pairs } from './wire.ts';

interface Through {
  path: string;
  /** Headers of the request that are not handed on. */
  without: readonly string[];
  /** Headers of the answer as they are shown, when not as they came. */
  shown?: (headers: HeaderList) => HeaderList;
  send: (request: TunnelRequest) => Promise<TunnelResponse>;
}

/**
 * Answers an HTTP request with what came through a tunnel, as it comes. Whoever hangs up gives the request up. A
 * failure before anything was answered is returned; after that the connection is cut, so that nobody takes a part for
 * the whole.
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
      headers: handedOn(pairs(request.rawHeaders), without),
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
    // What still comes of it is for nobody.
    gone.abort();
    if (response.headersSent || response.destroyed) response.destroy();
    else return error instanceof TunnelFailure ? error : new TunnelFailure('upstream_error', String(error));
  } finally {
    response.off('close', hungUp);
  }
  return undefined;
}

/**
 * The one length that an answer states, and its other headers. Anything else, like two lengths or one with a sign, is
 * dropped, and Node writes the body in chunks: where an answer ends is ours to say, since another one follows on the same
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
 * An answer may come before all of the request was read. That must not cut the connection it is written to, and what
 * nobody wants any more must not stand in front of the next request.
 */
async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } finally {
    request.resume();
  }
}
