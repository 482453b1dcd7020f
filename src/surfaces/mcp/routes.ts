import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { bulkLimits } from '../../domain/base/body-limits.ts';
import { parseJsonObject } from '../common/json.ts';
import { type GuardOptions, guardFor } from './guard.ts';
import { type Selection, selectionOf } from './selection.ts';
import type { Post, PostAnswer, Serving } from './serving.ts';

/** The sender of a message, and its HTTP request. */
export interface Visit {
  authorization: string | undefined;
  requestId: string;
  /** The origin under which the agent reaches the service. */
  origin: () => string;
  ending: AbortSignal;
}

export interface McpRouteOptions extends GuardOptions {
  /** Returns the owner of a valid credential, and throws otherwise. */
  recognize: (authorization: string | undefined) => Promise<string>;
  /** Loads the server factory at the first message. */
  load: () => Promise<(selection: Selection, visit: Visit) => ReturnType<Post['server']>>;
  origin: (request: FastifyRequest) => string;
  failed: (error: unknown) => void;
}

/** Maximum message in bytes. Operations have their own limits; larger files use an upload URL. */
const bodyLimit = 8 * 1024 * 1024;
/** Limits of a message, whose arguments of a call are nested in three objects. */
const messageLimits = { ...bulkLimits, depth: bulkLimits.depth + 3 };

interface Caller {
  id: string;
  selection: Selection;
}

/** `/mcp`, `/mcp/x/<toolsets>`, and either with `/readonly`: Streamable HTTP for agents of both eras. */
export function registerMcp(app: FastifyInstance, options: McpRouteOptions): void {
  const ending = new AbortController();
  let loaded: Promise<Loaded> | undefined;
  const load = (): Promise<Loaded> => (loaded ??= loading(options, ending.signal));
  app.addHook('preClose', (done) => {
    ending.abort();
    done();
  });
  app.addHook('onClose', async () => (await loaded)?.serving.close());

  const guard = guardFor(options);
  const callers = new WeakMap<FastifyRequest, Caller>();
  const enter = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { host, origin, authorization } = request.headers;
    guard({ host, origin });
    if (request.method !== 'POST')
      return refuse(
        reply.header('allow', 'POST').header('connection', 'close'),
        405,
        -32_000,
        'Method not allowed: send POST',
      );
    const id = await options.recognize(authorization);
    const { toolsets } = request.params as { toolsets?: string };
    // From the matched route, because the URL can be written in several ways.
    const readOnly = request.routeOptions.url?.endsWith('/readonly') === true;
    callers.set(request, { id, selection: selectionOf(toolsets, readOnly) });
    return undefined;
  };
  for (const url of ['/mcp', '/mcp/readonly', '/mcp/x/:toolsets', '/mcp/x/:toolsets/readonly'])
    app.route({
      method: ['POST', 'GET', 'DELETE', 'PUT', 'PATCH'],
      url,
      bodyLimit,
      config: { operation: 'mcp' },
      // Runs before the body is read, so that unauthenticated requests buffer nothing.
      onRequest: enter,
      handler: async (request, reply) => {
        const caller = callers.get(request) as Caller;
        const message = readMessage(request);
        if (typeof message === 'string') return refuse(reply, 400, -32_700, message);
        const { serving, make } = await load();
        const visit = {
          authorization: request.headers.authorization,
          requestId: request.id,
          origin: () => options.origin(request),
          ending: ending.signal,
        };
        const response = await serving.answer({
          url: `http://localhost${request.url}`,
          headers: headersOf(request),
          message,
          caller: caller.id,
          gone: goneSignal(reply),
          server: () => make(caller.selection, visit),
        });
        return send(reply, response);
      },
    });
}

interface Loaded {
  serving: Serving;
  make: Awaited<ReturnType<McpRouteOptions['load']>>;
}

async function loading({ load, failed }: McpRouteOptions, ending: AbortSignal): Promise<Loaded> {
  const { createServing } = await import('./serving.ts');
  return { make: await load(), serving: createServing(ending, failed) };
}

/** The message, or the error text. Batches were removed from the protocol and are rejected. */
function readMessage({ body }: FastifyRequest): Record<string, unknown> | string {
  if (!(body instanceof Uint8Array) || body.length === 0) return 'Parse error: the body is empty';
  try {
    return parseJsonObject(body, messageLimits);
  } catch (error) {
    if (error instanceof Refusal) return `Parse error: ${error.message}`;
    throw error;
  }
}

function refuse(reply: FastifyReply, status: number, code: number, message: string): FastifyReply {
  const error = { jsonrpc: '2.0', error: { code, message }, id: null };
  return reply.code(status).header('content-type', 'application/json').send(JSON.stringify(error));
}

function headersOf({ headers }: FastifyRequest): Headers {
  const copy = new Headers();
  // The key is not passed on: the server has a client that holds it.
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && name !== 'authorization') copy.set(name, String(value));
  return copy;
}

function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.closed) leave();
  else raw.once('close', leave);
  return gone.signal;
}

/** Sends through Fastify's reply, to keep its headers and hooks. */
function send(reply: FastifyReply, { status, headers, body }: PostAnswer): FastifyReply {
  reply.code(status);
  for (const [name, value] of headers) if (name !== 'connection') reply.header(name, value);
  return reply.send(typeof body === 'string' ? body : Readable.fromWeb(body));
}
