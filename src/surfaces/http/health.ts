import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { refuseBytes, takeOverFromNode } from './connections.ts';
import type { Metrics } from './metrics.ts';
import { within } from './patience.ts';

export interface HealthOptions {
  /** Rejects when a request could not be served now. */
  probe: () => Promise<void>;
  /** Whether everything is there that the first request needs, the first key included. */
  started: () => boolean;
  draining: () => boolean;
  metrics: Metrics;
}

/** Milliseconds for one look at the database. */
const patience = 1_000;

/** For orchestrators: is the process alive, should it get traffic, what did it do. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const { probe, started, draining, metrics } = options;
  const always = { config: { always: true } };
  app.get('/healthz', always, () => ({ status: 'ok' }));
  app.get('/readyz', always, async (request, reply) => {
    if (draining()) return reply.code(drainingStatus(request)).send({ status: 'draining' });
    if (!started()) return reply.code(503).send({ status: 'starting' });
    try {
      // One that was lost meanwhile is waited for by requests, which the second look knows.
      await within(patience, probe()).catch(() => within(patience, probe()));
      return { status: 'ready' };
    } catch {
      return reply.code(503).send({ status: 'database unavailable' });
    }
  });
  app.get('/metrics', always, async (_request, reply) =>
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await metrics.text()),
  );
}

/** HAProxy takes 404 for "send nobody new", and anything else that is no success for "cut off who is there". */
function drainingStatus({ query }: FastifyRequest): number {
  return (query as Record<string, unknown>)['draining'] === '404' ? 404 : 503;
}

/** The same for a process that serves nothing else. */
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
