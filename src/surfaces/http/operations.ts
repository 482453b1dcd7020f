import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onErrorHookHandler,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify';
import { operationList } from '../../contract/index.ts';
import { type Operation, streamedAnswer } from '../../contract/operation.ts';
import type { Occasion } from '../../domain/context.ts';
import type { Given } from '../../domain/input.ts';
import type { Entered, Entrance } from '../../domain/invoke.ts';
import { checkAnswer, sendAnswer } from './answer.ts';
import { readBody, receiveBytes } from './body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    entered: Entered | undefined;
  }
}

export interface OperationOptions {
  entrance: Entrance;
  /** Tests compare every answer with the contract; production sends it as it is. */
  checkResponses: boolean;
}

/** One route per declared operation; there is nothing to write here when an operation is added. */
export function registerOperations(app: FastifyInstance, options: OperationOptions): void {
  const closing = new AbortController();
  app.decorateRequest('entered', undefined);
  // A reader of events would keep the service from ending.
  app.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  const route = (place: FastifyInstance, operation: Operation): void => {
    place.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operation: operation.id },
      // Before the body is read: strangers cannot make us buffer anything.
      onRequest: [
        ...(operation.deprecated === undefined ? [] : [deprecate(operation.deprecated)]),
        enter(operation, options.entrance, closing.signal),
      ],
      // The rest of an upload that was refused is not read: the connection ends.
      ...(operation.upload && { onError: hangUp }),
      handler: (request, reply) => answer(operation, request, reply, options, closing.signal),
    });
  };
  for (const operation of operationList) if (!operation.upload) route(app, operation);
  void app.register((place, _, done) => {
    // The bytes of an upload are not gathered: the verb reads them as they come.
    place.removeAllContentTypeParsers();
    place.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    for (const operation of operationList) if (operation.upload) route(place, operation);
    done();
  });
}

/** On every answer, refusals included, so before anything can refuse. */
function deprecate(successor: string): onRequestHookHandler {
  return (request, reply, done) => {
    const params = request.params as Record<string, string>;
    const path = successor.replaceAll(/\{(\w+)\}/g, (open, name: string) => {
      const value = params[name] ?? (name === 'client' ? params['hostId'] : undefined);
      return value === undefined ? open : encodeURIComponent(value);
    });
    void reply.header('deprecation', 'true').header('link', `</api/v1${path}>; rel="successor-version"`);
    done();
  };
}

const hangUp: onErrorHookHandler = (_request, reply, _error, done) => {
  void reply.header('connection', 'close');
  done();
};

function enter(operation: Operation, entrance: Entrance, closing: AbortSignal): onRequestAsyncHookHandler {
  const ends = streamedAnswer(operation.response)?.kind === 'events' ? closing : undefined;
  return async (request, reply) => {
    const { authorization } = request.headers;
    const params = request.params as Record<string, string>;
    const occasion = occasionOf(request, reply, ends);
    request.entered = await entrance.enter(operation, { kind: 'bearer', authorization }, params, occasion);
  };
}

/** `closing` ends what would otherwise go on when the service does. */
function occasionOf(
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal | undefined,
): Occasion {
  return {
    requestId: request.id,
    callerGone: () => (closing ? AbortSignal.any([signalOf(reply), closing]) : signalOf(reply)),
    // A caller who has hung up is told nothing any more, so this is over already.
    afterwards: (work) => void (reply.raw.closed ? work() : reply.raw.once('close', work)),
  };
}

async function answer(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { entrance, checkResponses }: OperationOptions,
  closing: AbortSignal,
): Promise<FastifyReply> {
  const given: Given = {
    query: request.query as Record<string, unknown>,
    idempotencyKey: idempotencyKeyOf(request),
    lastEventId: textOf(request.headers['last-event-id']),
    ...(operation.upload
      ? { upload: receiveBytes(operation.upload, request) }
      : { body: readBody(operation, request) }),
  };
  const result = await entrance.act(request.entered as Entered, given);
  if (checkResponses) checkAnswer(operation, result);
  return sendAnswer(reply, operation, result, closing);
}

function signalOf(reply: FastifyReply): AbortSignal {
  const hangUp = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

/** Two spellings are in use. A blank or oversized key counts as none. */
function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = textOf(headers['idempotency-key'] ?? headers['x-mcpjam-idempotency-key'])?.trim();
  return key && key.length <= 256 ? key : undefined;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
