import type { ReceivedBytes, Route, SentFile, StreamEvent, Upload } from '../../contract/operation.ts';
import { routes } from '../../contract/routes.ts';
import { invalid } from '../../domain/base/refusals.ts';
import type { Credential } from '../../domain/identity/authenticate.ts';
import type { Entrance } from '../../domain/invoke.ts';
import { newId } from '../../platform/ids.ts';
import { inSpan } from '../../platform/telemetry/tracing.ts';
import type { CallOptions, Client, SentBytes } from '../client/index.ts';
import { callables } from '../client/operations.ts';

/** The context of calls that do not arrive as HTTP requests. */
export interface Arrival {
  entrance: Pick<Entrance, 'enter' | 'act'>;
  credential: Credential;
  /** The origin of the service for the caller. */
  origin: () => string;
  /** The ID of the calls in the log and the audit. Default: a new ID per call. */
  requestId?: () => string;
}

/**
 * A client of the service in this process. Calls pass the same entrance as HTTP requests, without the network. Methods are
 * made when they are read, because most clients serve a single message.
 */
export function inProcessClient(arrival: Arrival): Client {
  return new Proxy({} as Client, {
    get: (_, id) => {
      const operation = operations.get(id);
      return operation && methodOf(operation, arrival);
    },
  });
}

const operations = new Map<string | symbol, Route>(routes.map((route) => [route.id, route]));

function methodOf(operation: Route, arrival: Arrival) {
  const call = (input?: Record<string, unknown>, options?: CallOptions) =>
    callOperation(operation, arrival, input, options);
  switch (operation.answers) {
    case 'events':
      return async function* (input?: Record<string, unknown>, options?: CallOptions) {
        for await (const { data } of (await call(input, options)) as AsyncIterable<StreamEvent<unknown>>)
          yield data;
      };
    case 'file':
      return async (input?: Record<string, unknown>, options?: CallOptions) =>
        responseOf((await call(input, options)) as SentFile);
    case 'json': {
      const cursorIn = cursorPlaces.get(operation.id);
      return cursorIn === undefined ? call : Object.assign(call, { cursorIn });
    }
  }
}

function callOperation(
  operation: Route,
  { entrance, credential, origin, requestId = () => newId('req') }: Arrival,
  input: Record<string, unknown> = {},
  options: CallOptions = {},
): Promise<unknown> {
  const { id, upload, params: names } = operation;
  const given = Object.entries(input);
  const params = Object.fromEntries(given.filter(([name]) => names.includes(name))) as Record<string, string>;
  const query = Object.fromEntries(
    given
      .filter(([name, value]) => !apart.has(name) && !names.includes(name) && value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
  const signal = options.signal ?? new AbortController().signal;
  const requestInfo = {
    requestId: requestId(),
    callerGone: () => signal,
    origin,
    afterwards: (work: () => void) => work(),
  };
  const attributes = { 'drydock.operation': id, 'drydock.request.id': requestInfo.requestId };
  return inSpan(`operation ${id}`, { attributes }, async () => {
    const entered = await entrance.enter(operation, credential, params, requestInfo);
    return entrance.act(entered, {
      query,
      body: input['body'] as Record<string, unknown> | undefined,
      ...(upload && { upload: received(upload, input['upload'] as SentBytes) }),
      idempotencyKey: options.idempotencyKey,
      headers: options.headers,
    });
  });
}

/** The cursor parameter of each list operation, for `eachItem`. */
const cursorPlaces = new Map(callables.map(({ id, cursorIn }) => [id, cursorIn]));

/** Input that goes neither into the path nor into the query. */
const apart = new Set(['body', 'upload']);

/** The bytes that an operation receives, up to its limit. */
function received({ limit }: Upload, sent: SentBytes): ReceivedBytes {
  const { type, bytes } =
    sent instanceof Blob
      ? { type: sent.type, bytes: sent.stream() }
      : { type: sent.contentType, bytes: sent.bytes };
  return { contentType: type, bytes: counted(bytes instanceof Uint8Array ? [bytes] : bytes, limit) };
}

async function* counted(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw invalid(`The file is larger than ${limit} bytes`);
    yield chunk;
  }
}

/** A file as a response, like over HTTP. */
function responseOf({ contentType, bytes }: SentFile): Response {
  return new Response(ReadableStream.from(bytes), {
    headers: { 'content-type': contentType },
  });
}
