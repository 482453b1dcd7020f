import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  observe(operation: string, status: number, seconds: number): void;
}

/** Labels are operation ids and statuses: few, known beforehand, and nothing a caller chose. */
export function createMetrics(pool: () => { total: number; idle: number; waiting: number }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'drydock_' });
  const requests = new Counter({
    name: 'drydock_http_requests_total',
    help: 'Requests answered, by operation and status',
    labelNames: ['operation', 'status'] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'drydock_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by operation',
    labelNames: ['operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const connections = new Gauge({
    name: 'drydock_database_connections',
    help: 'Connections of this process to the database, by state; waiting are requests without one',
    labelNames: ['state'] as const,
    registers: [],
    collect() {
      const { total, idle, waiting } = pool();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  registry.registerMetric(connections);
  return {
    registry,
    observe(operation, status, seconds) {
      requests.inc({ operation, status });
      durations.observe({ operation }, seconds);
    },
  };
}
