import type { Client } from './calls.ts';
import { DrydockError } from './error.ts';
import { callsOf } from './make.ts';
import { callables } from './operations.ts';
import type { ClientOptions } from './options.ts';

export type { Client, ErrorCode, Input, OperationId, Output } from './calls.ts';
export type { CallOptions, ClientOptions, Retry, SentBytes } from './options.ts';
export { eachItem } from './pages.ts';
export { DrydockError };

/**
 * A client of the service at `baseUrl`, with a method for every operation. No connection is opened before the first
 * call.
 */
export function createClient(options: ClientOptions): Client {
  return callsOf(options, '/api/v1', callables) as Client;
}
