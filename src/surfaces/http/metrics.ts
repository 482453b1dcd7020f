import { monitorEventLoopDelay } from 'node:perf_hooks';
import { withTimeout } from '../../platform/flow/deadline.ts';
import type { Backlog, LeaseCounts, LeaseFigures } from '../../platform/leases/figures.ts';
import { counters, type Family, prometheusText } from '../../platform/telemetry/metrics.ts';

/** Upper bounds in seconds; the last bucket has no limit. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Series {
  byStatus: Map<number, number>;
  buckets: number[];
  seconds: number;
  count: number;
}

/** Currently open connections and commands. */
interface Gauges {
  database: { total: number; idle: number; waiting: number; most: number };
  mcpConnections: number;
  commands: number;
  /** Confinement level of commands, once detected. */
  confinement: string | undefined;
}

/** Jobs of a worker process. */
interface Jobs {
  figures(): LeaseFigures[];
  /** Queries the database. */
  backlog(): Promise<Backlog[]>;
}

/** Milliseconds to wait for the backlog of jobs. */
const backlogTimeout = 2_000;
/** Milliseconds between two samples of the event-loop delay. Each wakes the process. */
const lagResolution = 250;
/** Window of the event-loop delay in milliseconds. Over the whole uptime, it would hardly change. */
const lagWindow = 60_000;

/**
 * Metrics of this process. Labels are operation IDs and statuses, which are few and never chosen by callers. A request
 * only costs a few additions; the output is computed on demand.
 */
export class Metrics {
  private readonly series = new Map<string, Series>();
  private readonly lag = monitorEventLoopDelay({ resolution: lagResolution });
  private lagSince = performance.now();
  private readonly gauges: () => Gauges;
  private readonly workers: () => Jobs | undefined;

  constructor(gauges: () => Gauges, workers: () => Jobs | undefined) {
    this.gauges = gauges;
    this.workers = workers;
    this.lag.enable();
  }

  observe(operation: string, status: number, seconds: number): void {
    let series = this.series.get(operation);
    if (!series) {
      series = { byStatus: new Map(), buckets: bounds.map(() => 0), seconds: 0, count: 0 };
      this.series.set(operation, series);
    }
    series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1);
    series.count++;
    series.seconds += seconds;
    const bucket = bounds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) (series.buckets[bucket] as number)++;
  }

  async text(): Promise<string> {
    return prometheusText(await this.families());
  }

  async families(): Promise<Family[]> {
    const jobs = this.workers();
    // Without a database, the other metrics are still useful.
    const backlog = jobs && (await withTimeout(backlogTimeout, jobs.backlog()).catch(() => []));
    return [
      ...this.requests(),
      ...this.connections(),
      ...Object.values(counters).map((counter) => counter.family()),
      ...this.process(),
      ...(jobs && backlog ? jobFamilies(jobs.figures(), backlog) : []),
    ];
  }

  private requests(): Family[] {
    const all = [...this.series];
    return [
      {
        name: 'drydock_http_requests_total',
        type: 'counter',
        help: 'Requests answered, by operation and status',
        values: all.flatMap(([operation, { byStatus }]) =>
          [...byStatus].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
        ),
      },
      {
        name: 'drydock_http_request_duration_seconds',
        type: 'histogram',
        help: 'Time from the request to its answer, by operation',
        distributions: all.map(([operation, { buckets, seconds: sum, count }]) => ({
          labels: { operation },
          bounds,
          buckets,
          sum,
          count,
        })),
      },
    ];
  }

  private connections(): Family[] {
    const { database, mcpConnections, commands, confinement } = this.gauges();
    const { total, idle, waiting, most } = database;
    return [
      {
        name: 'drydock_database_connections',
        type: 'gauge',
        help: 'Database connections by state; waiting are requests without one',
        values: Object.entries({ busy: total - idle, idle, waiting }).map(([state, value]) => ({
          labels: { state },
          value,
        })),
      },
      gauge('drydock_database_connections_limit', 'Database connections this process may hold', most),
      gauge('drydock_mcp_connections', 'Connections to MCP servers that are kept warm', mcpConnections),
      gauge('drydock_mcp_commands', 'Commands of stdio servers that run', commands),
      {
        name: 'drydock_command_confinement',
        type: 'gauge',
        help: 'How far commands of stdio servers are confined',
        values: confinement === undefined ? [] : [{ labels: { level: confinement }, value: 1 }],
      },
    ];
  }

  private process(): Family[] {
    const { user, system } = process.cpuUsage();
    return [
      {
        name: 'process_cpu_seconds_total',
        type: 'counter',
        help: 'Processor time used',
        values: [{ labels: {}, value: (user + system) / 1e6 }],
      },
      gauge('process_resident_memory_bytes', 'Resident memory', process.memoryUsage.rss()),
      gauge('process_uptime_seconds', 'Time since the start', process.uptime()),
      {
        name: 'nodejs_eventloop_delay_seconds',
        type: 'summary',
        help: 'How late timers fire',
        values: this.lateness(),
      },
    ];
  }

  private lateness(): { labels: { quantile: string }; value: number }[] {
    const values = [50, 99].map((share) => ({
      labels: { quantile: String(share / 100) },
      value: this.lag.percentile(share) / 1e9,
    }));
    if (performance.now() - this.lagSince > lagWindow) {
      this.lag.reset();
      this.lagSince = performance.now();
    }
    return values;
  }
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: 'gauge', help, values: [{ labels: {}, value }] };
}

const eventNames: Record<keyof LeaseCounts, string> = {
  claimed: 'claimed',
  finished: 'finished',
  failed: 'failed',
  givenUp: 'given_up',
  lost: 'lost',
  released: 'released',
};

function jobFamilies(figures: LeaseFigures[], backlog: Backlog[]): Family[] {
  return [
    {
      name: 'drydock_job_events_total',
      type: 'counter',
      help: 'Events of jobs in this process, by kind and event',
      values: figures.flatMap(({ kind, counts }) =>
        Object.entries(eventNames).map(([name, event]) => ({
          labels: { kind, event },
          value: counts[name as keyof LeaseCounts],
        })),
      ),
    },
    {
      name: 'drydock_jobs_running',
      type: 'gauge',
      help: 'Jobs running in this process',
      values: figures.map(({ kind, running }) => ({ labels: { kind }, value: running })),
    },
    {
      name: 'drydock_jobs_waiting',
      type: 'gauge',
      help: 'Jobs that are due and not taken, up to 10000, of all processes',
      values: backlog.map(({ kind, due }) => ({ labels: { kind }, value: due })),
    },
    {
      name: 'drydock_jobs_oldest_due_seconds',
      type: 'gauge',
      help: 'For how long the oldest of them has been due',
      values: backlog.map(({ kind, age }) => ({ labels: { kind }, value: age / 1000 })),
    },
  ];
}
