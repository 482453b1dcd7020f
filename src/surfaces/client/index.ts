import type { Client } from './calls.ts';
import { DrydockError } from './error.ts';
import { eachEvent } from './events.ts';
import { Lifetime } from './lifetime.ts';
import { type Callable, callables } from './operations.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { requestOf } from './request.ts';
import { sendPatiently } from './send.ts';
import { boundedText } from './text.ts';

export type { Client, ErrorCode, Input, OperationId, Output } from './calls.ts';
export type { CallOptions, ClientOptions, Retry, SentBytes } from './options.ts';
export { eachItem } from './pages.ts';
export { DrydockError };

type Given = Record<string, unknown>;

/** A client of the service at `baseUrl`, with a method for every operation. It opens nothing before it is used. */
export function createClient(options: ClientOptions): Client {
  const calls = callables.map((operation) => [operation.id, callOf(options, operation)]);
  return Object.fromEntries(calls) as Client;
}

function callOf(options: ClientOptions, operation: Callable) {
  if (operation.answers === 'events')
    return (input: Given = {}, call: CallOptions = {}) => watch(options, operation, input, call);
  const read = operation.answers === 'file' ? async (response: Response) => response : jsonOf;
  const once = async (input: Given = {}, call: CallOptions = {}): Promise<unknown> => {
    const request = requestOf(options, operation, input, call);
    const lifetime = new Lifetime(call.signal);
    lifetime.allow(timeoutOf(options, call));
    try {
      const answer = await sendPatiently(request, lifetime.signal, options, read);
      // The caller can still give up a file while it is read.
      if (operation.answers === 'file') lifetime.allow(Number.POSITIVE_INFINITY);
      else lifetime.release();
      return answer;
    } catch (error) {
      lifetime.release();
      throw error;
    }
  };
  return operation.cursorIn === undefined ? once : Object.assign(once, { cursorIn: operation.cursorIn });
}

function watch(target: ClientOptions, operation: Callable, input: Given, call: CallOptions) {
  return eachEvent({
    connect: (last, lifetime) => {
      lifetime.allow(timeoutOf(target, call));
      const resumed = last === undefined ? undefined : { 'last-event-id': last };
      const request = requestOf(target, operation, input, call, resumed);
      return sendPatiently(request, lifetime.signal, target, async (response) => response);
    },
    signal: call.signal,
    retries: target.retries === 0 ? 0 : 5,
  });
}

function timeoutOf(options: ClientOptions, call: CallOptions): number {
  return call.timeout ?? options.timeout ?? 300_000;
}

/** In bytes, unpacked: what a service that never stops can make its caller keep. */
const longestAnswer = 128 * 1024 * 1024;

async function jsonOf(response: Response): Promise<unknown> {
  const text = await boundedText(response, longestAnswer);
  if (text === undefined) throw DrydockError.notOurs(response, 'longer than 128 MB');
  try {
    return JSON.parse(text);
  } catch {
    throw DrydockError.notOurs(response, text);
  }
}
