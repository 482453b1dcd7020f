import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import { consoleOperationList } from '../../contract/console/index.ts';
import { Refusal } from '../../contract/errors.ts';
import { operationList } from '../../contract/index.ts';
import { visitOperationList } from '../../contract/visit/index.ts';
import type { Tunnels } from '../../domain/tunnels/tunnels.ts';
import type { Certificate } from '../../platform/certificate.ts';
import { isLoopback } from '../../platform/config/load.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Overload } from '../../platform/overload.ts';
import { isConsolePage, nowhereInConsole, registerConsole } from '../console/routes.ts';
import { registerDocs } from '../docs/routes.ts';
import { registerMcp } from '../mcp/routes.ts';
import { registerVisit } from '../visit/routes.ts';
import { consoleCredential, visitCredential } from './browser.ts';
import { hangUpWhenClosing, refuseBytes, takeOverFromNode } from './connections.ts';
import { errorResponder, sendRefusal } from './errors.ts';
import { type HealthOptions, registerHealth } from './health.ts';
import type { Metrics } from './metrics.ts';
import { type OperationOptions, registerOperations } from './operations.ts';
import { originOf } from './origin.ts';
import { rewriteUrl } from './reporters.ts';
import { shedLoad } from './shedding.ts';
import { forReadersOfEvents } from './streamed.ts';
import { traceRequests } from './tracing.ts';
import { Request, registerTunnels } from './tunnels.ts';

export const basePath = '/api/v1';
const consolePath = '/console/api';
const visitPath = '/visit/api';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string;
    /** The body is bytes of any type. */
    upload?: boolean;
  }
  interface FastifyRequest {
    startedAt: number;
  }
}

export interface HttpOptions extends OperationOptions, HealthOptions {
  log: Log;
  metrics: Metrics;
  bodyLimit: number;
  publicUrl: string | undefined;
  /** Address to listen on. */
  host: string;
  /** Networks of proxies whose word about where a request comes from is taken. */
  trustedProxies: readonly string[] | undefined;
  /** With it the service speaks HTTPS. */
  certificate: Certificate | undefined;
  /** In milliseconds. */
  shutdownTimeout: number;
  tunnels: Tunnels;
  overload: Overload;
}

export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { log, bodyLimit, publicUrl, shutdownTimeout, certificate } = options;
  const respond = errorResponder(log);
  const addHeaders = headersFor(options);
  const app = fastify({
    logger: false,
    trustProxy: options.trustedProxies ? [...options.trustedProxies] : false,
    bodyLimit,
    exposeHeadRoutes: false,
    genReqId: requestIds(),
    rewriteUrl: (request) => forReadersOfEvents(request.method, rewriteUrl(request), request.headers.accept),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    // What comes in while it closes is answered like anything else: whoever sent it cannot know.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    // A request has this long to arrive in full.
    requestTimeout: 60_000,
    ...spoken(certificate),
    frameworkErrors: (_error, request, reply) => {
      addHeaders(request, reply);
      if (isConsolePage(request)) reply.redirect(nowhereInConsole, 303);
      else respond(new Refusal('VALIDATION_ERROR', 'The URL is malformed'), request, reply);
    },
    clientErrorHandler: refuseBytes,
  });
  if (certificate) keepRenewed(app, certificate);
  takeOverFromNode(app.server);
  hangUpWhenClosing(app, shutdownTimeout);
  // Bodies arrive as bytes; what they mean is decided where the operation is known.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('startedAt', 0);
  traceRequests(app);
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now();
    addHeaders(request, reply);
    const { httpVersion, headers, rawHeaders } = request.raw;
    if (httpVersion === '1.1' && headers.host === undefined)
      done(new Refusal('VALIDATION_ERROR', 'The request has no Host header'));
    else if (namesTwoHosts(rawHeaders))
      done(new Refusal('VALIDATION_ERROR', 'The request has more than one Host header'));
    else done();
  });
  shedLoad(app, options.overload);
  refuseUntilStarted(app, options);
  app.addHook('onSend', (request, reply, _payload, done) => {
    observe(options, request, reply);
    // Whoever keeps the connection would keep the service from ending.
    if (options.draining()) reply.header('connection', 'close');
    done();
  });
  app.setErrorHandler(respond);
  app.setNotFoundHandler((request, reply) => sendRefusal(reply, unknownRoute(request, reply)));

  void app.register(
    (api, _, done) => {
      registerOperations(api, operationList, options);
      registerKeyManagement(api);
      done();
    },
    { prefix: basePath },
  );
  const forPages = [
    { prefix: consolePath, list: consoleOperationList, credentialOf: consoleCredential },
    { prefix: visitPath, list: visitOperationList, credentialOf: visitCredential },
  ];
  for (const { prefix, list, credentialOf } of forPages)
    void app.register(
      (api, _, done) => {
        registerOperations(api, list, options, credentialOf);
        // Whatever else is there, this is no page.
        api.all('/*', (request, reply) => sendRefusal(reply, unknownRoute(request, reply)));
        done();
      },
      { prefix },
    );
  registerHealth(app, options);
  registerDocs(app, basePath, publicUrl);
  registerConsole(app);
  registerVisit(app);
  registerAgents(app, options);
  registerTunnels(app, options.tunnels);
  return app;
}

/** Before the first key is there a valid one would be refused, and whoever sent it would give up. */
function refuseUntilStarted(app: FastifyInstance, { started }: HttpOptions): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (started() || request.routeOptions.config.always) return done();
    done(
      new Refusal('UNAVAILABLE', 'The service is starting, so this was not begun. Ask again in 1 s', {
        details: { reason: 'STARTING' },
        retryAfter: 1,
      }),
    );
  });
}

/** Node takes the first; a proxy in front may have judged the last. */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

/** What agents use; loaded when the first one comes. */
function registerAgents(
  app: FastifyInstance,
  { entrance, bodyLimit, host, publicUrl, log }: HttpOptions,
): void {
  registerMcp(app, {
    host,
    publicUrl,
    recognize: async (authorization) => {
      const { keyId, user } = await entrance.recognize({ kind: 'bearer', authorization });
      return keyId ?? user.id;
    },
    load: async () => {
      const { agentServers } = await import('../mcp/agents.ts');
      const failed = (error: unknown, requestId: string): void =>
        log.error('A request failed', { requestId, operation: 'mcp' }, error);
      return agentServers({ entrance, bodyLimit, failed });
    },
    origin: (request) => originOf(request, publicUrl),
    failed: (error) => log.debug('An MCP message was refused', { reason: String(error) }),
  });
}

/** HTTP, or HTTPS; typed as the first, since of both we use what they have in common. */
function spoken(certificate: Certificate | undefined): Pick<FastifyHttpOptions<Server>, 'http'> {
  // The host is asked for later, where the refusal can have a body.
  const options = { requireHostHeader: false, IncomingMessage: Request };
  return certificate ? ({ https: { ...options, ...certificate.pair } } as object) : { http: options };
}

/** Connections that are open go on with the certificate they began with. */
function keepRenewed(app: FastifyInstance, certificate: Certificate): void {
  certificate.watch((pair) => (app.server as unknown as TlsServer).setSecureContext(pair));
  app.addHook('onClose', (_app, done) => {
    certificate.close();
    done();
  });
}

function headersFor({
  certificate,
  publicUrl,
}: HttpOptions): (request: FastifyRequest, reply: FastifyReply) => void {
  // Only where the certificate is ours: a proxy in front decides by itself. On localhost it would hold for other ports too.
  const strict =
    certificate !== undefined && publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname);
  return (request, reply) => {
    if (strict) reply.header('strict-transport-security', 'max-age=31536000');
    addUsualHeaders(request, reply);
  };
}

function addUsualHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  // Pages and what they load say otherwise themselves.
  if (/^\/(?:console|visit)(?:[/?]|$)/.test(request.url)) reply.header('cache-control', 'no-store');
  // After an upgrade that nobody granted Node stays silent about errors in what follows.
  if (request.raw.headers.upgrade !== undefined) reply.header('connection', 'close');
}

/** Unlike any other process's, and cheap: one is made for every request. */
function requestIds(): () => string {
  const process = newId('req');
  let count = 0;
  return () => `${process}${(count++).toString(36)}`;
}

function observe({ metrics, log }: HttpOptions, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config?.operation ?? 'none';
  const ms = performance.now() - request.startedAt;
  metrics.observe(operation, reply.statusCode, ms / 1000);
  if (!log.debugging) return;
  log.debug('Answered', {
    requestId: request.id,
    operation,
    status: reply.statusCode,
    ms: Math.round(ms * 100) / 100,
    key: request.entered?.context.actor?.keyId,
    session: request.entered?.context.actor?.sessionId,
  });
}

/** Keys are managed by the operator. An API key asking for it is told so, whatever it asks. */
function registerKeyManagement(api: FastifyInstance): void {
  const refuse = (request: FastifyRequest): never => {
    if (/^Bearer +sk_/i.test(request.headers.authorization ?? ''))
      throw new Refusal(
        'FORBIDDEN',
        'API keys cannot manage API keys. The operator does, with: drydock keys',
      );
    throw new Refusal('UNAUTHORIZED', 'Key management is outside this API');
  };
  for (const url of ['/api-keys', '/api-keys/*'])
    api.all(url, { config: { operation: 'keyManagement' }, onRequest: refuse }, refuse);
}

function unknownRoute(request: FastifyRequest, reply: FastifyReply): Refusal {
  const path = (request.url.split('?')[0] as string).replace(/\/$/, '');
  const methods = methodsAt(path);
  if (methods.length === 0 && methodsAt(`${basePath}${path}`).length > 0)
    return new Refusal('NOT_FOUND', `The API is below ${basePath}: try ${basePath}${path}`);
  if (methods.length === 0)
    return new Refusal('NOT_FOUND', 'No such operation. The API is described at /docs');
  reply.header('allow', methods.join(', '));
  return new Refusal('NOT_FOUND', `No such operation: this path takes ${methods.join(' and ')}`);
}

function methodsAt(path: string): string[] {
  const inside = path.startsWith(basePath) ? path.slice(basePath.length).split('/') : [];
  const fits = (pattern: string): boolean => {
    const parts = pattern.split('/');
    return (
      parts.length === inside.length && parts.every((part, i) => part.startsWith('{') || part === inside[i])
    );
  };
  return operationList.filter((operation) => fits(operation.path)).map((operation) => operation.method);
}
