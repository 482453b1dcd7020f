import type { z } from 'zod';
import type { OperationId, Operations } from '../../contract/index.ts';
import type { Declaration, EventStream, FileAnswer, Upload } from '../../contract/operation.ts';
import { DrydockError } from './error.ts';
import { eachEvent } from './events.ts';
import { type Callable, callables } from './operations.ts';
import { type Patience, sendPatiently } from './send.ts';

export { DrydockError };

export interface ClientOptions extends Patience {
  /** The origin and `/api/v1`, as `drydock serve` prints it. */
  baseUrl: string;
  apiKey: string;
}

export interface CallOptions {
  signal?: AbortSignal;
  idempotencyKey?: string;
  /** Headers that the operation declares. */
  headers?: Record<string, string>;
}

type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : unknown;
type Query<O> = O extends { query: infer Q extends z.ZodObject } ? z.input<Q> : unknown;
type Body<O> = O extends { body: infer B extends z.ZodType } ? { body: z.input<B> } : unknown;
type UploadOf<O> = O extends { upload: Upload } ? { upload: SentBytes } : unknown;

/** Bytes to send, with their media type; a `Blob` brings its own. */
export type SentBytes =
  | Blob
  | { contentType: string; bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> };

/** Path and query parameters side by side, the body under `body`, bytes under `upload`. */
export type CallInput<O extends Declaration> = Params<O['path']> & Query<O> & Body<O> & UploadOf<O>;

/** A JSON answer, the response to read bytes from, or the events of a stream as they come. */
export type CallOutput<O extends Declaration> = O['response'] extends FileAnswer
  ? Promise<Response>
  : O['response'] extends EventStream<infer Event>
    ? AsyncIterable<z.output<Event>>
    : O['response'] extends z.ZodType
      ? Promise<z.output<O['response']>>
      : never;

type Call<O extends Declaration> =
  unknown extends CallInput<O>
    ? (input?: undefined, options?: CallOptions) => CallOutput<O>
    : Partial<CallInput<O>> extends CallInput<O>
      ? (input?: CallInput<O>, options?: CallOptions) => CallOutput<O>
      : (input: CallInput<O>, options?: CallOptions) => CallOutput<O>;

/** A method for every operation of the contract, named by its id. */
export type Client = { readonly [Id in OperationId]: Call<Operations[Id]> };

export function createClient(options: ClientOptions): Client {
  const calls = callables.map((operation) => [
    operation.id,
    (input: Record<string, unknown> = {}, call: CallOptions = {}) =>
      operation.answers === 'events'
        ? eachEvent((headers) => send(options, operation, input, call, headers))
        : send(options, operation, input, call).then((response) =>
            operation.answers === 'file' ? response : response.json(),
          ),
  ]);
  return Object.fromEntries(calls) as Client;
}

async function send(
  options: ClientOptions,
  operation: Callable,
  input: Record<string, unknown>,
  call: CallOptions,
  more: Record<string, string> = {},
): Promise<Response> {
  const url = `${options.baseUrl.replace(/\/+$/, '')}${addressOf(operation, input)}`;
  const headers: Record<string, string> = {
    ...call.headers,
    authorization: `Bearer ${options.apiKey}`,
    ...more,
  };
  if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
  const response = await sendPatiently(
    url,
    {
      method: operation.method,
      headers,
      ...bodyOf(operation, input, headers),
      ...(call.signal && { signal: call.signal }),
    },
    options,
  );
  if (!response.ok && !operation.otherStatuses.includes(response.status))
    throw await DrydockError.from(response);
  return response;
}

/** The body of a request; its content type is put among the headers. */
function bodyOf(
  operation: Callable,
  input: Record<string, unknown>,
  headers: Record<string, string>,
): RequestInit {
  if (operation.sends === 'json') {
    headers['content-type'] = 'application/json';
    return { body: JSON.stringify(input['body'] ?? {}) };
  }
  if (operation.sends === 'nothing') return {};
  const upload = input['upload'] as SentBytes;
  if (upload instanceof Blob) return { body: upload };
  headers['content-type'] = upload.contentType;
  // A stream can only be sent by a client that does not wait for the answer's beginning.
  return {
    body: upload.bytes,
    ...(upload.bytes instanceof ReadableStream && { duplex: 'half' }),
  };
}

function addressOf(operation: Callable, input: Record<string, unknown>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input))
    if (name !== 'body' && name !== 'upload' && value !== undefined && !operation.params.includes(name))
      query.set(name, value as string);
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

interface Page<Item> {
  items: Item[];
  nextCursor?: string | undefined;
}

/** Every item of a list, page after page: `for await (const server of eachItem(client.listProjectServers, {projectId}))`. */
export async function* eachItem<Input extends { cursor?: string | undefined }, Item>(
  list: (input: Input) => Promise<Page<Item>>,
  input: Input,
): AsyncGenerator<Item> {
  let page = await list(input);
  yield* page.items;
  while (page.nextCursor !== undefined) {
    page = await list({ ...input, cursor: page.nextCursor });
    yield* page.items;
  }
}
