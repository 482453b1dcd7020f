import { Refusal } from '../../contract/errors.ts';
import { isSafe, type Operation } from '../../contract/operation.ts';
import { invalid } from '../../domain/base/refusals.ts';
import { named as quotedName } from '../../platform/quoted.ts';
import type { CallOptions, Client, SentBytes } from '../client/index.ts';
import { isId } from '../common/naming.ts';
import { addressOf } from './addresses.ts';
import type { Agent, Calling } from './agent.ts';
import { type Answer, provenanceLabels, refusalIn } from './answers.ts';
import { reachesOut } from './operation-facts.ts';
import { inputSchemaOf } from './operation-schema.ts';
import { withRateLimitRetry } from './rate-limit-retry.ts';

type Arguments = Record<string, unknown>;
type Call = (input: Arguments, options: CallOptions) => unknown;

/** Calls an operation with arguments of the schema `inputSchemaOf`. */
export async function callOperation(
  operation: Operation,
  args: Arguments,
  calling: Calling,
): Promise<Answer> {
  const input = inputOf(operation, args, calling.agent);
  const options = optionsOf(operation, args, calling);
  const call = callOf(calling.agent.client, operation);
  // An answer with status 202 is a record of Drydock: no server was contacted yet.
  const fromServer = reachesOut(operation) && operation.status !== 202;
  const data = (value: unknown) => ({
    provenance: fromServer ? provenanceLabels.server : provenanceLabels.records,
    value,
  });
  switch (operation.answers) {
    case 'events': {
      const open = (signal: AbortSignal) => call(input, { ...options, signal }) as AsyncIterable<unknown>;
      const followed = await follow(open, args, calling);
      return { ours: [followed.sentence], data: data(followed.events) };
    }
    case 'file':
      return fileAnswer(
        operation,
        input,
        (await withRateLimitRetry(() => call(input, options), calling.signal)) as Response,
      );
    case 'json': {
      const value = await withRateLimitRetry(() => call(input, options), calling.signal);
      const uri = addressOf(operation, input);
      return {
        ours: [`${operation.id} answered.`, ...(isSafe(operation) ? [] : madeIds(value, input))],
        data: data(value),
        ...(uri !== undefined && { full: { uri, name: operation.id } }),
      };
    }
  }
}

const maxIds = 20;

/** The new IDs in the answer to a write, in a sentence, because the data may be shortened. */
function madeIds(answer: unknown, input: Arguments): string[] {
  const given = JSON.stringify(input);
  const found = new Map<string, string>();
  const walk = (value: unknown, name: string, depth: number): void => {
    if (found.size > maxIds || depth > 5) return;
    if (typeof value === 'string') {
      if (/^id$|Id$/.test(name) && isId(value) && !given.includes(value) && !found.has(value))
        found.set(value, `${name} ${value}`);
    } else if (Array.isArray(value)) {
      for (const item of value.slice(0, maxIds + 1)) walk(item, name, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const [inner, item] of Object.entries(value).slice(0, 200)) walk(item, inner, depth + 1);
    }
  };
  walk(answer, '', 0);
  const ids = [...found.values()];
  if (ids.length === 0) return [];
  return [`IDs in the answer: ${ids.slice(0, maxIds).join(', ')}${ids.length > maxIds ? ', and more' : ''}.`];
}

export function callOf(client: Client, { id }: Operation): Call {
  return (client as unknown as Record<string, Call>)[id] as Call;
}

function inputOf(operation: Operation, args: Arguments, { bodyLimit }: Agent): Arguments {
  const { properties, required = [] } = inputSchemaOf(operation);
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined)
    throw invalid(
      `Unrecognized argument ${quotedName(unknown)}: ${operation.id} takes ${Object.keys(properties).join(', ') || 'none'}`,
    );
  const missing = required.find((name) => args[name] === undefined || args[name] === null);
  if (missing !== undefined) throw invalid(`${missing}: Required`);
  const { body, upload, idempotencyKey: _key, maxSeconds: _most, ...named } = args;
  for (const [name, value] of Object.entries(named))
    if (typeof value === 'object' && value !== null)
      throw invalid(`${name}: Must be a text, a number or a boolean`);
  const given = Object.fromEntries(
    Object.entries(named)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, String(value)]),
  );
  return {
    ...given,
    ...(operation.body && { body: bodyOf(body, Math.max(operation.bodyLimit ?? 0, bodyLimit)) }),
    ...(operation.upload && { upload: bytesOf(upload, operation.upload) }),
  };
}

function bodyOf(body: unknown, limit: number): object {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('body: Must be an object');
  refuseLarge(body, limit);
  return body;
}

/** Throws if a body is larger than the limit in bytes, like the HTTP API. */
export function refuseLarge(body: object, limit: number): void {
  if (Buffer.byteLength(JSON.stringify(body)) > limit)
    throw invalid(`The request body is larger than ${limit} bytes`);
}

function bytesOf(upload: unknown, { mediaType, limit }: NonNullable<Operation['upload']>): SentBytes {
  const { text, base64, contentType = mediaType } = upload as Record<string, unknown>;
  if (typeof contentType !== 'string') throw invalid('upload.contentType: Must be a text');
  if (typeof text === 'string' && base64 === undefined) return within(Buffer.from(text), contentType, limit);
  if (typeof base64 === 'string' && text === undefined && /^[A-Za-z0-9+/_-]*={0,2}$/.test(base64))
    return within(Buffer.from(base64, 'base64'), contentType, limit);
  throw invalid('upload: Give either text or base64');
}

function within(bytes: Buffer<ArrayBuffer>, contentType: string, limit: number): SentBytes {
  if (bytes.length > limit) throw invalid(`The request body is larger than ${limit} bytes`);
  return { contentType, bytes: new Uint8Array(bytes) };
}

/** Labels launched runs as started over MCP. */
const launcher = { 'x-mcpjam-launcher': JSON.stringify({ kind: 'mcp', client: 'drydock' }) };

export function optionsOf(operation: Operation, args: Arguments, { signal }: Calling): CallOptions {
  const { idempotencyKey } = args;
  if (idempotencyKey !== undefined && !isKey(idempotencyKey))
    throw invalid('idempotencyKey: Must be a text of 1 to 256 visible characters');
  return {
    signal,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(operation.headers && 'x-mcpjam-launcher' in operation.headers.shape && { headers: launcher }),
  };
}

/** Whether the key is a valid header value. */
function isKey(key: unknown): key is string {
  return typeof key === 'string' && /^[\x20-\x7e\u00a0-\u00ff]{1,256}$/.test(key) && key.trim() !== '';
}

const maxEvents = 500;
const defaultSeconds = 45;

interface Followed {
  events: unknown[];
  sentence: string;
}

/** Collects the events of a stream to its end, or to a bound. */
async function follow(open: Open<unknown>, args: Arguments, calling: Calling): Promise<Followed> {
  const seconds = args['maxSeconds'] === undefined ? defaultSeconds : Number(args['maxSeconds']);
  if (!(seconds >= 1 && seconds <= 600)) throw invalid('maxSeconds: Must be between 1 and 600');
  const events: unknown[] = [];
  try {
    const { over } = await collect(open, seconds * 1000, calling, (event) => {
      events.push(event);
      calling.progress(events.length);
      return events.length < maxEvents;
    });
    const count = `${events.length} events`;
    return {
      events: events.reverse(),
      sentence: over
        ? `The stream ended after ${count}, listed newest first.`
        : `${count} so far, listed newest first; the stream continues. Call again for the rest.`,
    };
  } catch (error) {
    // Returns the events received before the failure: they name what the operation started.
    const refusal = refusalIn(error);
    if (events.length === 0 || !refusal) throw error;
    return {
      events: [...events.reverse(), { brokeOff: { code: refusal.code, message: refusal.message } }],
      sentence: `The stream failed after ${events.length} events (${refusal.code}), listed newest first. The operation continues: read its state before you repeat the call.`,
    };
  }
}

type Open<T> = (signal: AbortSignal) => AsyncIterable<T>;

/** Passes events to `take` until the stream ends, `take` returns false, or the time is over. */
export async function collect<T>(
  open: Open<T>,
  ms: number,
  { signal }: Pick<Calling, 'signal'>,
  take: (event: T) => boolean,
): Promise<{ over: boolean }> {
  const enough = new AbortController();
  const stop = (): void => enough.abort();
  const iterator = open(enough.signal)[Symbol.asyncIterator]();
  const stopped = new Promise<'stopped'>((resolve) => {
    enough.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  const timer = setTimeout(stop, ms);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    for (;;) {
      const coming = iterator.next();
      // `coming` may reject after the loop has ended.
      coming.catch(() => {});
      const next = await Promise.race([stopped, coming]);
      if (next === 'stopped') return { over: false };
      if (next.done) return { over: !enough.signal.aborted };
      if (!take(next.value)) return { over: false };
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    stop();
    // A generator suspended between two events does not see the signal; return() releases its resources.
    void iterator.return?.().catch(() => {});
  }
}

const maxText = 64_000;

async function fileAnswer(operation: Operation, input: Arguments, response: Response): Promise<Answer> {
  const type = response.headers.get('content-type') ?? 'application/octet-stream';
  const uri = addressOf(operation, input);
  const links = uri === undefined ? [] : [{ uri, name: operation.id }];
  if (!isText(type)) {
    await response.body?.cancel();
    return {
      ours: [`${operation.id} returns a binary file. Read it as the linked resource.`],
      data: { provenance: provenanceLabels.records, value: { type } },
      links,
    };
  }
  const bytes = await firstBytes(response, maxText);
  return {
    ours: [`${operation.id} answered.`],
    data: { provenance: provenanceLabels.records, value: { type, text: new TextDecoder().decode(bytes) } },
    links,
  };
}

export function isText(type: string): boolean {
  return /^(text\/|application\/(json|yaml|xml|x-ndjson|[\w.+-]+\+(json|xml|yaml)))/i.test(type);
}

/** Reads at most `most` bytes. */
export async function firstBytes(response: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}

export function notReadOnly(operation: Operation, { selection }: Agent): Refusal {
  const instead = selection.readOnly
    ? 'this endpoint is read-only; ask the user for one that is not'
    : 'use write_operation';
  return new Refusal(
    'VALIDATION_ERROR',
    `${operation.id} ${operation.callsTools ? 'calls tools of a server' : 'has side effects'}: ${instead}`,
  );
}
