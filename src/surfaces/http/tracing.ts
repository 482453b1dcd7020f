import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { beginSpan, isTracing, type Span } from '../../platform/telemetry/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

/** Polled by machines every few seconds, and therefore not traced. */
const untraced = new Set(['/healthz', '/readyz', '/metrics']);

/** Creates a span for each request. Without tracing, no hook is installed. */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return;
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions;
    if (url !== undefined && untraced.has(url)) return done();
    request.span = begin(request, url);
    // Ends with the last byte of the response, or when the caller disconnects.
    reply.raw.once('close', () => end(request, reply));
    if (request.span) request.span.run(done);
    else done();
  });
  // The body arrives on the connection, outside of the request context.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.span) request.span.run(done);
    else done();
  });
}

/** Begins the span of a request, which is named after its route and not its path. */
function begin(request: FastifyRequest, url: string | undefined): Span | undefined {
  const { method } = request;
  const route = url?.replaceAll(/:(\w+)/g, '{$1}');
  const { traceparent } = request.headers;
  return beginSpan(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'drydock.operation': request.routeOptions.config?.operation,
      'drydock.request.id': request.id,
    },
  });
}

function end({ span, entered }: FastifyRequest, { statusCode, raw }: FastifyReply): void {
  if (!span) return;
  const { actor, grant } = entered?.context ?? {};
  span.set({
    'http.response.status_code': statusCode,
    'drydock.organization.id': actor?.organization.id ?? grant?.study.organizationId,
  });
  if (statusCode >= 500) span.fail(String(statusCode));
  else if (!raw.writableFinished) span.fail('hung up');
  span.end();
}
