import type { Callable } from './callable.ts';
import type { CallOptions, ClientOptions, SentBytes } from './options.ts';

/** A request that cannot be sent. The message never contains values, which may be secrets. */
class Unsendable extends TypeError {
  override name = 'Unsendable';
}

/** A prepared request, which can be sent repeatedly. */
export interface Request {
  operation: string;
  url: string;
  /** Built for each attempt, because the API key may have been replaced. */
  init: () => Promise<RequestInit>;
  /** Statuses other than 2xx whose response is a result. */
  answers: readonly number[];
  /** False if the body is a stream, which can only be sent once. */
  resendable: boolean;
  /** Whether the request can be repeated without further effects. */
  repeatable: boolean;
}

/** Base URL of the operations. */
export interface Target extends ClientOptions {
  /** Path below the origin. */
  path: string;
}

export function requestOf(
  target: Target,
  operation: Callable,
  input: Record<string, unknown>,
  call: CallOptions,
  more: Record<string, string> = {},
): Request {
  const headers: Sent = {};
  for (const given of [target.headers, call.headers, more])
    for (const [name, value] of Object.entries(given ?? {})) put(headers, name, value);
  const key = call.idempotencyKey ?? (keyInBody(input) ? undefined : ownKey(operation));
  if (key !== undefined) put(headers, 'idempotency-key', key);
  const { body, type } = bodyOf(operation, input);
  if (type !== undefined) put(headers, 'content-type', type);
  const streamed = typeof ReadableStream !== 'undefined' && body instanceof ReadableStream;
  return {
    operation: operation.id,
    url: `${baseOf(target)}${addressOf(operation, input)}`,
    init: async () => {
      const sent = { ...headers };
      const apiKey = typeof target.apiKey === 'function' ? await target.apiKey() : target.apiKey;
      if (apiKey !== undefined) put(sent, 'authorization', `Bearer ${apiKey}`);
      // Required by fetch for a stream as body.
      return {
        method: operation.method,
        headers: sent,
        // Keys and bodies are only sent to the configured URL.
        redirect: 'manual',
        ...(body !== undefined && { body }),
        ...(streamed && { duplex: 'half' }),
      };
    },
    answers: operation.otherStatuses,
    resendable: !streamed,
    repeatable:
      operation.repeatable === 'always' ||
      (operation.repeatable !== 'never' && (key !== undefined || keyInBody(input))),
  };
}

/** Headers by lower-case name. Avoids `Headers`, which loads slowly in Node. */
type Sent = Record<string, string>;

/** Sets a header. Checks it here, because the message of the platform would quote the value. */
function put(headers: Sent, name: string, value: string): void {
  const trimmed = value.trim();
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name) || /[^\t\u0020-\u007e\u0080-\u00ff]/.test(trimmed))
    throw new Unsendable(`The header ${name} contains characters that cannot be sent`);
  headers[name.toLowerCase()] = trimmed;
}

/** The base URL of the operations, from a URL with or without their path. */
function baseOf({ baseUrl: url, path }: Target): string {
  let end = url.length;
  while (url[end - 1] === '/') end--;
  const base = url.slice(0, end);
  return base.endsWith(path) ? base : `${base}${path}`;
}

/** Whether the body has an idempotency key. A key in the header would override it. */
function keyInBody({ body }: Record<string, unknown>): boolean {
  const key = (body as { idempotencyKey?: unknown } | undefined)?.idempotencyKey;
  return typeof key === 'string' && key.trim() !== '';
}

/** Generates an idempotency key, so that the call can be retried. Pages without TLS have no `randomUUID`. */
function ownKey({ repeatable }: Callable): string | undefined {
  if (repeatable !== 'with key') return undefined;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bodyOf(
  operation: Callable,
  input: Record<string, unknown>,
): { body?: NonNullable<RequestInit['body']>; type?: string } {
  if (operation.sends === 'nothing') return {};
  if (operation.sends === 'json')
    return { body: JSON.stringify(input['body'] ?? {}), type: 'application/json' };
  const upload = input['upload'] as SentBytes | undefined;
  if (!upload) throw new TypeError(`${operation.id}: upload is missing`);
  // A blob has its own type.
  if (upload instanceof Blob) return { body: upload };
  return { body: upload.bytes, type: upload.contentType };
}

function addressOf(operation: Callable, input: Record<string, unknown>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    inPath(operation.id, name, input[name]),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input))
    if (name !== 'body' && name !== 'upload' && value !== undefined && !operation.params.includes(name))
      query.set(name, value as string);
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Rejects dot segments, which would change the path in any encoding. */
function inPath(operation: string, name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Unsendable(`${operation}: ${name} must be a text`);
  if (/^\.{1,2}$/.test(value)) throw new Unsendable(`${operation}: ${name} cannot be ${value}`);
  return encodeURIComponent(value);
}
