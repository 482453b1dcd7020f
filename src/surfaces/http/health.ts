import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { withTimeout } from '../../platform/flow/deadline.ts';
import { refuseBytes, takeOverFromNode } from './connections.ts';
import type { Metrics } from './metrics.ts';

export interface HealthOptions {
  /** Rejects if requests cannot be served. */
  probe: () => Promise<void>;
  /** Whether everything required for the first request exists, including the first API key. */
  started: () => boolean;
  draining: () => boolean;
  metrics: Metrics;
}

/** Timeout of a database check in milliseconds. */
const probeTimeout = 1_000;

/** Liveness, readiness and metrics endpoints for orchestrators. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const { probe, started, draining, metrics } = options;
  const always = { config: { always: true } };
  app.get('/healthz', always, () => ({ status: 'ok' }));
  app.get('/readyz', always, async (request, reply) => {
    if (draining()) return reply.code(drainingStatus(request)).send({ status: 'draining' });
    if (!started()) return reply.code(503).send({ status: 'starting' });
    try {
      // Requests wait for a lost database; the second check accounts for that.
      await withTimeout(probeTimeout, probe()).catch(() => withTimeout(probeTimeout, probe()));
      return { status: 'ready' };
    } catch {
      return reply.code(503).send({ status: 'database unavailable' });
    }
  });
  app.get('/metrics', always, async (_request, reply) =>
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await metrics.text()),
  );
}

/** HAProxy treats 404 as draining, and other errors as a failure that ends running requests. */
function drainingStatus({ query }: FastifyRequest): number {
  return (query as Record<string, unknown>)['draining'] === '404' ? 404 : 503;
}

/** Health endpoints of a process without other routes. */
export function createHealthServer(options: HealthOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: 10_000,
    clientErrorHandler: refuseBytes,
  });
  takeOverFromNode(app.server);
  registerHealth(app, options);
  return app;
}
