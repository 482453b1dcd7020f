import type { Callable } from './callable.ts';
import { DrydockError } from './error.ts';
import { eachEvent } from './events.ts';
import { Lifetime } from './lifetime.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { requestOf, type Target } from './request.ts';
import { sendWithRetry } from './send.ts';
import { boundedText } from './text.ts';

type Given = Record<string, unknown>;

/** Creates a method for each operation. Their paths are below `path` of the service. */
export function callsOf(options: ClientOptions, path: string, operations: readonly Callable[]): object {
  const target = { ...options, path };
  return Object.fromEntries(operations.map((operation) => [operation.id, callOf(target, operation)]));
}

function callOf(options: Target, operation: Callable) {
  if (operation.answers === 'events')
    return (input: Given = {}, call: CallOptions = {}) => watch(options, operation, input, call);
  const read = operation.answers === 'file' ? async (response: Response) => response : jsonOf;
  const once = async (input: Given = {}, call: CallOptions = {}): Promise<unknown> => {
    const request = requestOf(options, operation, input, call);
    const lifetime = new Lifetime(call.signal);
    lifetime.allow(timeoutOf(options, call));
    try {
      const answer = await sendWithRetry(request, lifetime.signal, options, read);
      // The caller can still abort while a file is read.
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

function watch(target: Target, operation: Callable, input: Given, call: CallOptions) {
  return eachEvent({
    connect: (last, lifetime) => {
      lifetime.allow(timeoutOf(target, call));
      const resumed = last === undefined ? undefined : { 'last-event-id': last };
      const request = requestOf(target, operation, input, call, resumed);
      return sendWithRetry(request, lifetime.signal, target, async (response) => response);
    },
    signal: call.signal,
    retries: target.retries === 0 ? 0 : 5,
  });
}

function timeoutOf(options: ClientOptions, call: CallOptions): number {
  return call.timeout ?? options.timeout ?? 300_000;
}

/** Maximum response size in bytes after decompression, so that an endless response cannot exhaust memory. */
const maxAnswerLength = 128 * 1024 * 1024;

async function jsonOf(response: Response): Promise<unknown> {
  const text = await boundedText(response, maxAnswerLength);
  if (text === undefined) throw DrydockError.notOurs(response, 'longer than 128 MB');
  try {
    return JSON.parse(text);
  } catch {
    throw DrydockError.notOurs(response, text);
  }
}
