import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify';
import { operationList } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Actor, Services } from '../../domain/context.ts';
import { authenticate, type Charge } from '../../domain/identity/authenticate.ts';
import { invoke } from '../../domain/invoke.ts';
import { idShape, readInput } from './input.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | undefined;
  }
}

export interface OperationOptions {
  services: Services;
  charge: Charge;
  /** Called for each request whose key is valid. */
  used: (keyId: string) => void;
  /** Tests compare every answer with the contract; production sends it as it is. */
  checkResponses: boolean;
}

/** One route per declared operation; there is nothing to write here when an operation is added. */
export function registerOperations(app: FastifyInstance, options: OperationOptions): void {
  app.decorateRequest('actor', undefined);
  for (const operation of operationList) {
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operation: operation.id },
      // Before the body is read: strangers cannot make us buffer anything.
      onRequest: [
        ...(operation.deprecated === undefined ? [] : [deprecate(operation.deprecated)]),
        ...(operation.access === 'public' ? [] : [identify(operation, options)]),
      ],
      handler: (request, reply) => answer(operation, request, reply, options),
    });
  }
}

/** On every answer, refusals included, so before anything can refuse. */
function deprecate(successor: string): onRequestHookHandler {
  const link = `</api/v1${successor}>; rel="successor-version"`;
  return (_request, reply, done) => {
    void reply.header('deprecation', 'true').header('link', link);
    done();
  };
}

function identify(
  { budget }: Operation,
  { services, charge, used }: OperationOptions,
): onRequestAsyncHookHandler {
  return async (request) => {
    const path = pathOf(request);
    request.actor = await authenticate(services.db, request.headers.authorization, charge, path, budget);
    used(request.actor.keyId);
  };
}

/** The ids in the path. What cannot be one is refused later, as something that does not exist. */
function pathOf({ params }: FastifyRequest): {
  projectId?: string | undefined;
  serverId?: string | undefined;
} {
  const { projectId, serverId } = params as Record<string, string>;
  return { projectId: asId(projectId), serverId: asId(serverId) };
}

function asId(text: string | undefined): string | undefined {
  return text !== undefined && idShape.test(text) ? text : undefined;
}

async function answer(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { services, checkResponses }: OperationOptions,
): Promise<FastifyReply> {
  const context = { ...services, requestId: request.id, callerGone: () => signalOf(reply) };
  const result = await invoke(context, request.actor, {
    operation,
    input: readInput(operation, request),
    idempotencyKey: idempotencyKeyOf(request),
  });
  if (checkResponses) operation.response.parse(result);
  return reply
    .code(operation.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(result));
}

function signalOf(reply: FastifyReply): AbortSignal {
  const hangUp = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

/** Two spellings are in use. A blank or oversized key counts as none. */
function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'] ?? request.headers['x-mcpjam-idempotency-key'];
  const key = (Array.isArray(header) ? header[0] : header)?.trim();
  return key && key.length <= 256 ? key : undefined;
}
