import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { consoleRoutes, routes, visitRoutes } from '../../contract/routes.ts';
import type { Tunnels } from '../../domain/parts/tunnels.ts';
import type { Certificate } from '../../platform/certificate.ts';
import { isLoopback } from '../../platform/config/load.ts';
import { newId } from '../../platform/ids.ts';
import type { LoadShedder } from '../../platform/load-shedder.ts';
import type { Log } from '../../platform/log.ts';
import { originOf } from '../common/origin.ts';
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
    /** Whether the body is bytes of any type. */
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
  /** Networks of proxies whose forwarding headers are trusted. */
  trustedProxies: readonly string[] | undefined;
  /** Enables HTTPS. */
  certificate: Certificate | undefined;
  /** In milliseconds. */
  shutdownTimeout: number;
  /** The tunnels, which exist before the server listens. */
  tunnels: () => Tunnels;
  loadShedder: LoadShedder;
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
    // Requests during the shutdown are handled normally, because their senders do not know about it.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    // Time for a request to arrive completely.
    requestTimeout: 60_000,
    ...protocolOptions(certificate),
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
  // Bodies are kept as bytes and parsed where the operation is known.
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
    else if (hasRepeatedHost(rawHeaders))
      done(new Refusal('VALIDATION_ERROR', 'The request has more than one Host header'));
    else done();
  });
  shedLoad(app, options.loadShedder);
  refuseUntilStarted(app, options);
  app.addHook('onSend', (request, reply, _payload, done) => {
    observe(options, request, reply);
    // Kept-alive connections would block the shutdown.
    if (options.draining()) reply.header('connection', 'close');
    done();
  });
  app.setErrorHandler(respond);
  app.setNotFoundHandler((request, reply) => sendRefusal(reply, unknownRoute(request, reply)));

  void app.register(
    (api, _, done) => {
      registerOperations(api, routes, options);
      registerKeyManagement(api);
      done();
    },
    { prefix: basePath },
  );
  const forPages = [
    { prefix: consolePath, list: consoleRoutes, credentialOf: consoleCredential },
    { prefix: visitPath, list: visitRoutes, credentialOf: visitCredential },
  ];
  for (const { prefix, list, credentialOf } of forPages)
    void app.register(
      (api, _, done) => {
        registerOperations(api, list, options, credentialOf);
        // Unknown paths below the API get an error of the API.
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

/** Refuses requests until the first API key exists, because valid keys would be rejected until then. */
function refuseUntilStarted(app: FastifyInstance, { started }: HttpOptions): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (started() || request.routeOptions.config.always) return done();
    done(
      new Refusal('UNAVAILABLE', 'The service is starting and did not process the request. Retry in 1 s', {
        details: { reason: 'STARTING' },
        retryAfter: 1,
      }),
    );
  });
}

/** Rejects repeated Host headers: Node uses the first, but a proxy may have checked the last. */
function hasRepeatedHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

/** MCP endpoint of agents, loaded on the first request. */
function registerAgents(
  app: FastifyInstance,
  { entrance, bodyLimit, host, publicUrl, log }: HttpOptions,
): void {
  registerMcp(app, {
    host,
    publicUrl,
    recognize: async (authorization) => {
      const { keyId, user } = await entrance().recognize({ kind: 'bearer', authorization });
      return keyId ?? user.id;
    },
    load: async () => {
      const { agentServers } = await import('../mcp/agents.ts');
      const failed = (error: unknown, requestId: string): void =>
        log.error('Request failed', { requestId, operation: 'mcp' }, error);
      return agentServers({ entrance: entrance(), bodyLimit, failed });
    },
    origin: (request) => originOf(request, publicUrl),
    failed: (error) => log.debug('An MCP message was refused', { reason: String(error) }),
  });
}

/** HTTP or HTTPS server, typed as HTTP because only the common interface is used. */
function protocolOptions(certificate: Certificate | undefined): Pick<FastifyHttpOptions<Server>, 'http'> {
  // The Host header is checked later, where the error response can have a body.
  const options = { requireHostHeader: false, IncomingMessage: Request };
  return certificate ? ({ https: { ...options, ...certificate.pair } } as object) : { http: options };
}

/** Replaces the certificate for new connections. */
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
  // Only for our own certificate: proxies set this header themselves. On localhost, it would affect other ports.
  const strict =
    certificate !== undefined && publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname);
  return (request, reply) => {
    if (strict) reply.header('strict-transport-security', 'max-age=31536000');
    addUsualHeaders(request, reply);
  };
}

function addUsualHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  // Pages and their assets override this.
  if (/^\/(?:console|visit)(?:[/?]|$)/.test(request.url)) reply.header('cache-control', 'no-store');
  // Node reports no errors after a refused upgrade.
  if (request.raw.headers.upgrade !== undefined) reply.header('connection', 'close');
}

/** Unique across processes, and cheap to generate for every request. */
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

/** Explains that API keys cannot manage API keys. */
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
  return routes.filter((route) => fits(route.path)).map((route) => route.method);
}
