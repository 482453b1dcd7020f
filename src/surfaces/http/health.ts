import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

export interface HealthOptions {
  /** Rejects when a request could not be served now. */
  probe: () => Promise<void>;
  /** Whether everything is there that the first request needs, the first key included. */
  started: () => boolean;
  draining: () => boolean;
  metrics: Metrics;
}

const patience = 2_000;

/** For orchestrators: is the process alive, should it get traffic, what did it do. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const { probe, started, draining, metrics } = options;
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    if (draining()) return reply.code(503).send({ status: 'draining' });
    if (!started()) return reply.code(503).send({ status: 'starting' });
    try {
      await within(patience, probe());
      return { status: 'ready' };
    } catch {
      return reply.code(503).send({ status: 'database unavailable' });
    }
  });
  app.get('/metrics', (_request, reply) =>
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(metrics.text()),
  );
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) => (timer = setTimeout(() => reject(new Error('too slow')), ms)),
  );
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
