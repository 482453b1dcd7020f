import type { Callable } from './callable.ts';
import type { CallOptions, ClientOptions, SentBytes } from './options.ts';

/** What cannot be sent to any service. It says no value: that may be a secret. */
class Unsendable extends TypeError {
  override name = 'Unsendable';
}

/** A call as it is sent, again too. */
export interface Request {
  operation: string;
  url: string;
  /** For each attempt anew: a key may have been replaced meanwhile. */
  init: () => Promise<RequestInit>;
  /** Statuses beside the 2xx that carry an answer. */
  answers: readonly number[];
  /** A stream of bytes is gone when it was sent. */
  resendable: boolean;
  /** Sending it again does nothing more. */
  repeatable: boolean;
}

/** Where the operations are. */
export interface Target extends ClientOptions {
  /** Below the origin. */
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
      // A stream can only be sent by a client that does not wait for the answer's beginning.
      return {
        method: operation.method,
        headers: sent,
        // Neither the key nor what is sent with it goes anywhere else.
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

/** By their names in small letters. `Headers` would do the same, and takes long to load where it comes with all of `fetch`. */
type Sent = Record<string, string>;

/** The platform's own message would repeat the value. */
function put(headers: Sent, name: string, value: string): void {
  const trimmed = value.trim();
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name) || /[^\t\u0020-\u007e\u0080-\u00ff]/.test(trimmed))
    throw new Unsendable(`The header ${name} holds characters that cannot be sent`);
  headers[name.toLowerCase()] = trimmed;
}

/** An origin will do. */
function baseOf({ baseUrl: url, path }: Target): string {
  let end = url.length;
  while (url[end - 1] === '/') end--;
  const base = url.slice(0, end);
  return base.endsWith(path) ? base : `${base}${path}`;
}

/** Some operations take the key there too; one in the header would outdo it. */
function keyInBody({ body }: Record<string, unknown>): boolean {
  const key = (body as { idempotencyKey?: unknown } | undefined)?.idempotencyKey;
  return typeof key === 'string' && key.trim() !== '';
}

/** Made for this call alone, so that it can be sent again. `randomUUID` is missing on pages without TLS. */
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
  // A blob brings its type.
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

/** Dots alone would lead to another path, however they are written. */
function inPath(operation: string, name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Unsendable(`${operation}: ${name} must be a text`);
  if (/^\.{1,2}$/.test(value)) throw new Unsendable(`${operation}: ${name} cannot be ${value}`);
  return encodeURIComponent(value);
}
