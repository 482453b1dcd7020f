import type { ReceivedBytes, SentFile, StreamEvent, Upload } from '../../contract/operation.ts';
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

/** A client of the service in this process. Calls pass the same entrance as HTTP requests, without the network. */
export function inProcessClient({
  entrance,
  credential,
  origin,
  requestId = () => newId('req'),
}: Arrival): Client {
  const calls = routes.map((operation) => {
    const names = operation.params;
    const call = async (input: Record<string, unknown> = {}, options: CallOptions = {}): Promise<unknown> => {
      const given = Object.entries(input);
      const params = Object.fromEntries(given.filter(([name]) => names.includes(name))) as Record<
        string,
        string
      >;
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
      const { id, upload } = operation;
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
    };
    const events = async function* (input?: Record<string, unknown>, options?: CallOptions) {
      for await (const { data } of (await call(input, options)) as AsyncIterable<StreamEvent<unknown>>)
        yield data;
    };
    const file = async (input?: Record<string, unknown>, options?: CallOptions) =>
      responseOf((await call(input, options)) as SentFile);
    const cursorIn = cursorPlaces.get(operation.id);
    const json = cursorIn === undefined ? call : Object.assign(call, { cursorIn });
    return [operation.id, { events, file, json }[operation.answers]];
  });
  return Object.fromEntries(calls) as Client;
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
