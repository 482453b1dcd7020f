import type { z } from 'zod';
import { type OperationId, type Operations, operationList } from '../../contract/index.ts';
import { type Operation, paramNames } from '../../contract/operation.ts';
import { DrydockError } from './error.ts';
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
}

type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & Params<Rest>
  : unknown;
type Query<O> = O extends { query: infer Q extends z.ZodObject } ? z.input<Q> : unknown;
type Body<O> = O extends { body: infer B extends z.ZodType } ? { body: z.input<B> } : unknown;

/** Path and query parameters side by side, the body under `body`. */
export type CallInput<O extends Operation> = Params<O['path']> & Query<O> & Body<O>;

type Call<O extends Operation> =
  unknown extends CallInput<O>
    ? (input?: undefined, options?: CallOptions) => Promise<z.output<O['response']>>
    : Partial<CallInput<O>> extends CallInput<O>
      ? (input?: CallInput<O>, options?: CallOptions) => Promise<z.output<O['response']>>
      : (input: CallInput<O>, options?: CallOptions) => Promise<z.output<O['response']>>;

/** A method for every operation of the contract, named by its id. */
export type Client = { readonly [Id in OperationId]: Call<Operations[Id]> };

export function createClient(options: ClientOptions): Client {
  const calls = operationList.map((operation) => [
    operation.id,
    (input: Record<string, unknown> = {}, call: CallOptions = {}) => send(options, operation, input, call),
  ]);
  return Object.fromEntries(calls) as Client;
}

async function send(
  options: ClientOptions,
  operation: Operation,
  input: Record<string, unknown>,
  call: CallOptions,
): Promise<unknown> {
  const url = `${options.baseUrl.replace(/\/+$/, '')}${addressOf(operation, input)}`;
  const headers: Record<string, string> = { authorization: `Bearer ${options.apiKey}` };
  if (operation.body) headers['content-type'] = 'application/json';
  if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
  const response = await sendPatiently(
    url,
    {
      method: operation.method,
      headers,
      ...(operation.body && { body: JSON.stringify(input['body'] ?? {}) }),
      ...(call.signal && { signal: call.signal }),
    },
    options,
  );
  if (!response.ok) throw await DrydockError.from(response);
  return response.json();
}

function addressOf(operation: Operation, input: Record<string, unknown>): string {
  const names = paramNames(operation.path);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input))
    if (name !== 'body' && value !== undefined && !names.includes(name)) query.set(name, value as string);
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
