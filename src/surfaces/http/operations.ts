import { setMaxListeners } from 'node:events';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onErrorHookHandler,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify';
import type { Route } from '../../contract/operation.ts';
import type { Given } from '../../domain/base/input.ts';
import type { RequestInfo } from '../../domain/context/context.ts';
import type { Credential } from '../../domain/identity/authenticate.ts';
import type { Entered, Entrance } from '../../domain/invoke.ts';
import { loadedOperation } from '../../domain/operations.ts';
import { originOf } from '../common/origin.ts';
import { checkAnswer, sendAnswer } from './answer.ts';
import { readBody, receiveBytes } from './body.ts';
import { apiCredential, visitOf } from './browser.ts';

declare module 'fastify' {
  interface FastifyRequest {
    entered: Entered | undefined;
    /** Marks requests whose body was incomplete when they were authenticated. */
    late: boolean;
  }
}

export interface OperationOptions {
  /** The entrance, which exists before the server listens. */
  entrance: () => Entrance;
  /** Validates responses against the contract. Only used in tests. */
  checkResponses: boolean;
  publicUrl: string | undefined;
  secure: boolean;
}

/** Reads the credential of a request. */
export type ReadCredential = (request: FastifyRequest, options: OperationOptions) => Credential;

/** Creates a route for each declared operation. */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly Route[],
  options: OperationOptions,
  credentialOf: ReadCredential = apiCredential,
): void {
  const closing = new AbortController();
  // Each event stream adds a listener, and removes it at its end.
  setMaxListeners(0, closing.signal);
  if (!app.hasRequestDecorator('entered')) app.decorateRequest('entered', undefined);
  if (!app.hasRequestDecorator('late')) app.decorateRequest('late', false);
  // Event streams would block the shutdown.
  app.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  const route = (place: FastifyInstance, operation: Route): void => {
    place.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: {
        operation: operation.id,
        upload: operation.upload !== undefined,
        // Visitors are authenticated after their body was read.
        forStrangers: operation.access === 'public' || operation.access === 'visitor',
        staysOpen: operation.budget === 'polls' || operation.answers === 'events',
      },
      // Authenticates before the body is read, so that unauthenticated bodies are never buffered.
      onRequest: [
        ...(operation.deprecated === undefined ? [] : [deprecate(operation.deprecated)]),
        ...(operation.varyBy === undefined ? [] : [vary(operation.varyBy)]),
        enter(operation, options, closing.signal, credentialOf),
      ],
      ...(operation.bodyLimit !== undefined && {
        bodyLimit: Math.max(operation.bodyLimit, app.initialConfig.bodyLimit ?? 0),
      }),
      // The rest of a rejected upload is not read: the connection is closed.
      ...(operation.upload && { onError: hangUp }),
      handler: (request, reply) => answer(operation, request, reply, options, closing.signal),
    });
  };
  for (const operation of operations) if (!operation.upload) route(app, operation);
  void app.register((place, _, done) => {
    // Uploads are not buffered: the verb reads the stream.
    place.removeAllContentTypeParsers();
    place.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    for (const operation of operations) if (operation.upload) route(place, operation);
    done();
  });
}

/** Parameters of successor paths, with their names in the deprecated paths. */
const firstNames: Readonly<Record<string, string>> = { client: 'hostId', studyId: 'scenarioId' };

/** Sets headers that name the successor, before anything can fail, so that error responses have them too. */
function deprecate(successor: string): onRequestHookHandler {
  return (request, reply, done) => {
    const params = request.params as Record<string, string>;
    const path = successor.replaceAll(/\{(\w+)\}/g, (open, name: string) => {
      const value = params[name] ?? params[firstNames[name] ?? ''];
      return value === undefined ? open : encodeURIComponent(value);
    });
    void reply.header('deprecation', 'true').header('link', `</api/v1${path}>; rel="successor-version"`);
    done();
  };
}

/** Sets the Vary header, also on errors, which do not vary: caches may store them. */
function vary(header: string): onRequestHookHandler {
  return (_request, reply, done) => {
    void reply.header('vary', header);
    done();
  };
}

const hangUp: onErrorHookHandler = (_request, reply, _error, done) => {
  void reply.header('connection', 'close');
  done();
};

function enter(
  operation: Route,
  options: OperationOptions,
  closing: AbortSignal,
  credentialOf: ReadCredential,
): onRequestAsyncHookHandler {
  const ends = operation.answers === 'events' ? closing : undefined;
  return async (request, reply) => {
    const params = request.params as Record<string, string>;
    const requestInfo = requestInfoOf(request, reply, ends, options);
    const credential = operation.access === 'public' ? anonymous : credentialOf(request, options);
    // Responses to a session cookie must not be cached for others.
    if (credential.kind === 'session' || credential.kind === 'grant')
      void reply.header('cache-control', 'no-store');
    request.entered = await options.entrance().enter(operation, credential, params, requestInfo);
    request.late = !request.raw.complete;
  };
}

const anonymous: Credential = { kind: 'bearer', authorization: undefined };

/** `closing` ends open streams on shutdown. */
function requestInfoOf(
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal | undefined,
  options: OperationOptions,
): RequestInfo {
  return {
    requestId: request.id,
    callerGone: () => signalOf(reply, closing),
    origin: () => originOf(request, options.publicUrl),
    afterwards: (work) => whenClosed(reply, work),
    visit: () => visitOf(request, reply, options),
  };
}

async function answer(
  operation: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: OperationOptions,
  closing: AbortSignal,
): Promise<FastifyReply> {
  const entrance = options.entrance();
  const first = request.entered as Entered;
  const again = (): Promise<Entered> => entrance.enterAgain(first);
  const given: Given = {
    query: request.query as Record<string, unknown>,
    headers: headersFor(operation, request),
    idempotencyKey: idempotencyKeyOf(request),
    lastEventId: textOf(request.headers['last-event-id']),
    ...(operation.upload
      ? { upload: receiveBytes(operation.upload, request, request.late ? again : undefined) }
      : { body: readBody(operation, request) }),
  };
  // Checks access again, which may have ended while the body arrived.
  const entered = request.late && !operation.upload ? await again() : first;
  const result = await entrance.act(entered, given);
  const declared = loadedOperation(operation);
  if (options.checkResponses) checkAnswer(declared, result);
  return sendAnswer(reply, declared, result, closing);
}

/** Replaces AbortSignal.any, which would keep listeners until the service ends. */
function signalOf(reply: FastifyReply, closing: AbortSignal | undefined): AbortSignal {
  const hangUp = new AbortController();
  const abort = (): void => hangUp.abort();
  if (closing?.aborted) abort();
  closing?.addEventListener('abort', abort);
  whenClosed(reply, () => {
    closing?.removeEventListener('abort', abort);
    if (!reply.raw.writableFinished) abort();
  });
  return hangUp.signal;
}

/** Also handles clients that disconnected before this call. */
function whenClosed({ raw }: FastifyReply, work: () => void): void {
  if (raw.closed) work();
  else raw.once('close', work);
}

/** Only declared headers. Headers added by proxies are ignored. */
function headersFor({ headerNames }: Route, request: FastifyRequest): Given['headers'] {
  if (!headerNames) return undefined;
  const sent: Record<string, unknown> = {};
  for (const name of headerNames) {
    const value = textOf(request.headers[name]);
    if (value !== undefined) sent[name] = value;
  }
  return sent;
}

/** Accepts both spellings in use. Blank and oversized keys are ignored. */
function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = textOf(headers['idempotency-key'] ?? headers['x-mcpjam-idempotency-key'])?.trim();
  return key && key.length <= 256 ? key : undefined;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
