import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Log, redact } from '../log.ts';
import { DatabaseUnavailable } from './losses.ts';
import { firstPrimary, Primary } from './primary.ts';

export interface ConnectionOptions {
  /** Options to connect to each host, one of which is the primary. */
  hosts: readonly pg.ClientConfig[];
  /** Maximum number of connections. */
  max: number;
  /** Milliseconds that requests wait for an unavailable database. */
  unavailableTimeout: number;
  log: Log;
  /** Called after a failover to another host. */
  moved?: () => void;
}

/** Minimum and maximum milliseconds between two searches for the primary. */
const shortestPause = 20;
const maxPause = 200;
/** Milliseconds between two checks for the primary, if there are several hosts. */
const primaryCheckInterval = 500;

/** The connection pool of this process to the primary. Follows a failover to another host. */
export class Connections {
  readonly pool: pg.Pool;
  private readonly options: ConnectionOptions;
  private readonly primary: Primary;
  private readonly lent = new Set<pg.PoolClient>();
  /** The index of the host that a client connects to. */
  private readonly hostOf = new WeakMap<object, number>();
  private readonly watching: NodeJS.Timeout | undefined;
  private readonly faults = new WeakMap<pg.ClientBase, Error>();
  /** The index of the primary. */
  private current: number;
  private search: Promise<void> | undefined;
  private awaySince: number | undefined;
  private closed = false;

  private constructor(options: ConnectionOptions, current: number, primary: Primary) {
    this.options = options;
    this.current = current;
    this.primary = primary;
    this.pool = this.createPool();
    if (options.hosts.length > 1)
      this.watching = setInterval(() => void this.follow(), primaryCheckInterval).unref();
  }

  /** Finds the primary before it opens connections. */
  static async open(options: ConnectionOptions): Promise<Connections> {
    const primary = new Primary(options.hosts);
    const current = options.hosts.length > 1 ? await firstPrimary(primary, options.unavailableTimeout) : 0;
    return new Connections(options, current, primary);
  }

  /**
   * The reason why the server closed a connection between two statements. The next statement only learns that it is
   * closed.
   */
  faultOf(client: pg.ClientBase): Error | undefined {
    return this.faults.get(client);
  }

  /** Whether the database is unavailable, but requests still wait for it. */
  get isAwaited(): boolean {
    return this.away > 0 && this.away <= this.options.unavailableTimeout;
  }

  /** Milliseconds since the database became unavailable. */
  private get away(): number {
    return this.awaySince === undefined ? 0 : performance.now() - this.awaySince;
  }

  /**
   * Resolves when the database accepts writes again; all callers share one search. Rejects when the caller's timeout
   * ends, or at once if the database has been away for longer than that.
   */
  async back(since: number): Promise<void> {
    const { unavailableTimeout } = this.options;
    this.search ??= this.seek().finally(() => (this.search = undefined));
    this.search.catch(() => {});
    const left = this.away > unavailableTimeout ? 0 : unavailableTimeout - (performance.now() - since);
    const late = new AbortController();
    try {
      await Promise.race([this.search, overAfter(left, late.signal)]);
    } finally {
      late.abort();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.watching);
    this.primary.forget();
    await this.pool.end();
  }

  private createPool(): pg.Pool {
    const { hosts, max, log } = this.options;
    const host = (): pg.ClientConfig => hosts[this.current] as pg.ClientConfig;
    const made = (client: object): void => void this.hostOf.set(client, this.current);
    const pool = new pg.Pool({
      ...host(),
      max,
      idleTimeoutMillis: 0,
      // Each new connection goes to the current primary.
      Client: class extends pg.Client {
        constructor(options?: pg.ClientConfig) {
          super({ ...options, ...host() });
          made(this);
        }
      },
    });
    pool.on('connect', (client) => {
      this.lent.add(client);
      // A client in use has no error listener, and an unhandled error event ends the process. The query fails anyway.
      client.on('error', (error) => this.faults.set(client, error));
      client.once('end', () => this.lent.delete(client));
      // A failover happened while the client was connecting to the former primary.
      if (this.hostOf.get(client) !== this.current) hangUp(client);
    });
    pool.on('error', (error) => {
      // The pool closes before its connections: a stopping embedded server may disconnect first.
      if (!this.closed) log.warn('Database connection lost', { error: redact(error.message) });
    });
    return pool;
  }

  private async seek(): Promise<void> {
    this.awaySince = performance.now();
    this.primary.forget();
    for (let pause = shortestPause; !this.closed; pause = Math.min(2 * pause, maxPause)) {
      const found = await this.primary.find();
      if (found !== undefined) {
        this.use(found);
        this.awaySince = undefined;
        return this.rest();
      }
      await delay(pause, undefined, { ref: false });
    }
    throw new DatabaseUnavailable('The service is stopping');
  }

  /** Also detects a failover in which connections to the former primary stay open. */
  private async follow(): Promise<void> {
    if (this.search) return;
    const found = await this.primary.find();
    if (found !== undefined && !this.search && !this.closed) this.use(found);
  }

  /** A single host is checked only after a loss. */
  private rest(): void {
    if (this.options.hosts.length === 1) this.primary.forget();
  }

  private use(host: number): void {
    if (host === this.current) return;
    this.current = host;
    this.options.log.warn('Database failover: another host accepts writes', { host: this.nameOf(host) });
    // Queries to the former primary would get no answer, or a wrong one.
    for (const client of this.lent) hangUp(client);
    this.options.moved?.();
  }

  private nameOf(host: number): string {
    const { connectionString, host: name } = this.options.hosts[host] ?? {};
    return connectionString === undefined ? String(name) : new URL(connectionString).host;
  }
}

/** Destroys the socket without a goodbye: the other side may be frozen. */
export function hangUp(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}

async function overAfter(milliseconds: number, signal: AbortSignal): Promise<never> {
  await delay(Math.max(0, milliseconds), undefined, { signal, ref: false });
  throw new DatabaseUnavailable('The database does not answer. Try again in a moment');
}
