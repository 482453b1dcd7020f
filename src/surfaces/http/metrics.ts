import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Backlog, LeaseCounts, LeaseFigures } from '../../platform/leases/figures.ts';
import { within } from './patience.ts';

/** Upper bounds in seconds; the last bucket takes the rest. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Series {
  byStatus: Map<number, number>;
  buckets: number[];
  seconds: number;
  count: number;
}

/** What is open at this moment. */
interface Gauges {
  database: { total: number; idle: number; waiting: number };
  mcpConnections: number;
  /** How far commands are confined, once that is known. */
  confinement: string | undefined;
}

/** The jobs of a process that does some. */
interface Jobs {
  figures(): LeaseFigures[];
  /** Asks the database. */
  backlog(): Promise<Backlog[]>;
}

const patience = 2_000;

/**
 * Counts in the Prometheus text format. Labels are operation ids and statuses: few, known beforehand, and
 * nothing a caller chose. A request costs a few additions; the text is made when it is asked for.
 */
export class Metrics {
  private readonly series = new Map<string, Series>();
  private readonly lag = monitorEventLoopDelay({ resolution: 20 });
  private readonly gauges: () => Gauges;
  private readonly jobs: Jobs | undefined;

  constructor(gauges: () => Gauges, jobs?: Jobs) {
    this.gauges = gauges;
    this.jobs = jobs;
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
    const { jobs } = this;
    // Without a database the rest is still worth reading.
    const backlog = jobs && (await within(patience, jobs.backlog()).catch(() => []));
    const lines = [...this.requests(), ...this.durations(), ...this.connections(), ...this.process()];
    if (jobs && backlog) lines.push(...jobLines(jobs.figures(), backlog));
    return lines.join('\n').concat('\n');
  }

  private *requests(): Generator<string> {
    yield* heading('drydock_http_requests_total', 'counter', 'Requests answered, by operation and status');
    for (const [operation, { byStatus }] of this.series)
      for (const [status, count] of byStatus)
        yield `drydock_http_requests_total{operation="${operation}",status="${status}"} ${count}`;
  }

  private *durations(): Generator<string> {
    const name = 'drydock_http_request_duration_seconds';
    yield* heading(name, 'histogram', 'Time from the request to its answer, by operation');
    for (const [operation, series] of this.series) {
      let below = 0;
      for (const [i, bound] of bounds.entries())
        yield `${name}_bucket{operation="${operation}",le="${bound}"} ${(below += series.buckets[i] as number)}`;
      yield `${name}_bucket{operation="${operation}",le="+Inf"} ${series.count}`;
      yield `${name}_sum{operation="${operation}"} ${series.seconds}`;
      yield `${name}_count{operation="${operation}"} ${series.count}`;
    }
  }

  private *connections(): Generator<string> {
    const { database, mcpConnections, confinement } = this.gauges();
    const { total, idle, waiting } = database;
    const name = 'drydock_database_connections';
    yield* heading(name, 'gauge', 'Database connections by state; waiting are requests without one');
    yield `${name}{state="busy"} ${total - idle}`;
    yield `${name}{state="idle"} ${idle}`;
    yield `${name}{state="waiting"} ${waiting}`;
    yield* heading('drydock_mcp_connections', 'gauge', 'Connections to MCP servers that are kept warm');
    yield `drydock_mcp_connections ${mcpConnections}`;
    if (confinement === undefined) return;
    yield* heading('drydock_command_confinement', 'gauge', 'How far commands of stdio servers are confined');
    yield `drydock_command_confinement{level="${confinement}"} 1`;
  }

  private *process(): Generator<string> {
    const { user, system } = process.cpuUsage();
    yield* heading('process_cpu_seconds_total', 'counter', 'Processor time used');
    yield `process_cpu_seconds_total ${(user + system) / 1e6}`;
    yield* heading('process_resident_memory_bytes', 'gauge', 'Resident memory');
    yield `process_resident_memory_bytes ${process.memoryUsage.rss()}`;
    yield* heading('process_uptime_seconds', 'gauge', 'Time since the start');
    yield `process_uptime_seconds ${process.uptime()}`;
    yield* heading('nodejs_eventloop_delay_seconds', 'summary', 'How late timers fire');
    for (const share of [50, 99])
      yield `nodejs_eventloop_delay_seconds{quantile="${share / 100}"} ${this.lag.percentile(share) / 1e9}`;
  }
}

const eventNames: Record<keyof LeaseCounts, string> = {
  claimed: 'claimed',
  finished: 'finished',
  failed: 'failed',
  givenUp: 'given_up',
  lost: 'lost',
  released: 'released',
};

function* jobLines(figures: LeaseFigures[], backlog: Backlog[]): Generator<string> {
  yield* heading('drydock_job_events_total', 'counter', 'What became of jobs in this process, by kind');
  for (const { kind, counts } of figures)
    for (const [event, name] of Object.entries(eventNames))
      yield `drydock_job_events_total{kind="${kind}",event="${name}"} ${counts[event as keyof LeaseCounts]}`;
  yield* heading('drydock_jobs_running', 'gauge', 'Jobs under way in this process');
  for (const { kind, running } of figures) yield `drydock_jobs_running{kind="${kind}"} ${running}`;
  yield* heading(
    'drydock_jobs_waiting',
    'gauge',
    'Jobs that are due and not taken, up to 10000, of all processes',
  );
  for (const { kind, due } of backlog) yield `drydock_jobs_waiting{kind="${kind}"} ${due}`;
  yield* heading('drydock_jobs_oldest_due_seconds', 'gauge', 'For how long the oldest of them has been due');
  for (const { kind, age } of backlog) yield `drydock_jobs_oldest_due_seconds{kind="${kind}"} ${age / 1000}`;
}

function* heading(name: string, type: string, help: string): Generator<string> {
  yield `# HELP ${name} ${help}`;
  yield `# TYPE ${name} ${type}`;
}
