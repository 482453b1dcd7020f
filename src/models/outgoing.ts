import type { Agent, Dispatcher } from 'undici';
import { ModelFailure } from './failure.ts';

/** Maximum bytes of a response. */
const maxBytes = 16 * 1024 * 1024;
/** Maximum bytes read of an error response. */
const maxRefusalBytes = 64 * 1024;

/** Content types of streamed responses, of most providers and of Bedrock. */
const streams = /^(?:text\/event-stream|application\/vnd\.amazon\.eventstream)\b/i;

let agent: Promise<Agent> | undefined;

/** Keeps connections open between calls. Idle sockets do not keep the process alive. */
async function newAgent(): Promise<Agent> {
  const { Agent } = await import('../platform/undici.ts');
  return new Agent({
    connect: { timeout: 10_000 },
    maxHeaderSize: 64 * 1024,
    // A model may think for longer than the library's timeout, and a retry would be billed twice. The signal is the
    // deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
  });
}

/** Like `fetch`, but follows no redirect, so that the key is sent to the base URL only. */
export async function modelFetch(address: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(address instanceof Request ? address.url : address);
  agent ??= newAgent();
  const dispatcher = await agent;
  let status: number | undefined;
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: init.method ?? 'GET',
      // A compressed response could exceed the size limit when decompressed.
      headers: { ...plain(init.headers), 'accept-encoding': 'identity' },
      body: typeof init.body === 'string' ? init.body : null,
      signal: init.signal ?? null,
    });
    status = answer.statusCode;
    return await received(answer);
  } catch (error) {
    if (init.signal?.aborted || error instanceof ModelFailure) throw error;
    const trouble = troubleOf(error);
    const message =
      status === undefined
        ? `The model provider cannot be reached: ${trouble}`
        : `The model provider ended its response early: ${trouble}`;
    throw new ModelFailure('network', message, { status, notSent: beforeSending.has(trouble) });
  }
}

async function received({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Response> {
  // Errors of an abandoned body have no other handler.
  body.on('error', () => {});
  const refuse = (message: string): never => {
    body.destroy();
    throw new ModelFailure('malformed', message, { status: statusCode });
  };
  if (statusCode < 200 || statusCode > 599) refuse(`The model provider returned HTTP status ${statusCode}`);
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity')
    refuse('The model provider compressed its response although the request did not allow it');
  const bag = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value ?? '']) bag.append(name, one);
  const init = { status: statusCode, headers: bag };
  const ok = statusCode < 300;
  if (ok && streams.test(bag.get('content-type') ?? ''))
    return new Response(ReadableStream.from(bounded(body)), init);
  const content = ok ? await wholeOf(body) : await beginningOf(body);
  return new Response(hasBody(statusCode) ? content : null, init);
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304;
}

/** The libraries send a plain object; converting it to `Headers` would be slow. */
function plain(headers: RequestInit['headers'] = {}): Record<string, string> {
  return headers instanceof Headers || Array.isArray(headers)
    ? Object.fromEntries(headers as Iterable<[string, string]>)
    : (headers as Record<string, string>);
}

async function wholeOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded(body)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes)
      throw new ModelFailure('too-large', `The response of the model is larger than ${maxBytes >> 20} MiB`);
    yield chunk;
  }
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxRefusalBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxRefusalBytes);
}

/** Error codes of connections that failed before the request was sent, which cannot be billed. */
const beforeSending: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Describes an error by its code, because messages of libraries may quote the request. */
function troubleOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const known = [code, cause?.code].find((one) => typeof one === 'string' && /^[A-Z0-9_]{3,60}$/.test(one));
  return typeof known === 'string' ? known : 'the connection failed';
}
