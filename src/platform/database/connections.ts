import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Log, redact } from '../log.ts';
import { DatabaseUnavailable } from './losses.ts';
import { firstPrimary, Primary } from './primary.ts';

export interface ConnectionOptions {
  /** How each host is reached; one of them takes writes. */
  hosts: readonly pg.ClientConfig[];
  /** How many connections to hold at most. */
  most: number;
  /** Milliseconds for which whoever asks waits for a database that is away. */
  patience: number;
  log: Log;
  /** Called when another host takes writes. */
  moved?: () => void;
}

const shortestPause = 20;
const longestPause = 200;
/** How often several hosts are asked which of them takes writes, in milliseconds. */
const lookEvery = 500;

/** The connections of this process to the host that takes writes, which may become another one. */
export class Connections {
  readonly pool: pg.Pool;
  private readonly options: ConnectionOptions;
  private readonly primary: Primary;
  private readonly lent = new Set<pg.PoolClient>();
  /** The number of the host that a client was made for. */
  private readonly hostOf = new WeakMap<object, number>();
  private readonly watching: NodeJS.Timeout | undefined;
  private readonly faults = new WeakMap<pg.ClientBase, Error>();
  /** The number of the host that takes writes. */
  private current: number;
  private search: Promise<void> | undefined;
  private awaySince: number | undefined;
  private closed = false;

  private constructor(options: ConnectionOptions, current: number, primary: Primary) {
    this.options = options;
    this.current = current;
    this.primary = primary;
    this.pool = this.createPool();
    if (options.hosts.length > 1) this.watching = setInterval(() => void this.follow(), lookEvery).unref();
  }

  /** Finds the host that takes writes first. */
  static async open(options: ConnectionOptions): Promise<Connections> {
    const primary = new Primary(options.hosts);
    const current = options.hosts.length > 1 ? await firstPrimary(primary, options.patience) : 0;
    return new Connections(options, current, primary);
  }

  /** Why the server ended a connection between two statements; the next one is told only that it is over. */
  faultOf(client: pg.ClientBase): Error | undefined {
    return this.faults.get(client);
  }

  /** Whether it is away, and not for so long that nobody waits for it any more. */
  get isAwaited(): boolean {
    return this.away > 0 && this.away <= this.options.patience;
  }

  /** For how long it has been away, in milliseconds. */
  private get away(): number {
    return this.awaySince === undefined ? 0 : performance.now() - this.awaySince;
  }

  /**
   * Resolves when the database takes writes again; everybody waits for the same search. Rejects when the patience of
   * whoever asks is over, and at once where the database has been away for longer than that.
   */
  async back(since: number): Promise<void> {
    const { patience } = this.options;
    this.search ??= this.seek().finally(() => (this.search = undefined));
    this.search.catch(() => {});
    const left = this.away > patience ? 0 : patience - (performance.now() - since);
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
    const { hosts, most, log } = this.options;
    const host = (): pg.ClientConfig => hosts[this.current] as pg.ClientConfig;
    const made = (client: object): void => void this.hostOf.set(client, this.current);
    const pool = new pg.Pool({
      ...host(),
      max: most,
      idleTimeoutMillis: 0,
      // Each new connection goes to whichever host takes writes by then.
      Client: class extends pg.Client {
        constructor(options?: pg.ClientConfig) {
          super({ ...options, ...host() });
          made(this);
        }
      },
    });
    pool.on('connect', (client) => {
      this.lent.add(client);
      // A client that is lent out has no listener, and an unheard error ends the process; the query fails anyway.
      client.on('error', (error) => this.faults.set(client, error));
      client.once('end', () => this.lent.delete(client));
      // Another host took over while it was being connected to the former one.
      if (this.hostOf.get(client) !== this.current) hangUp(client);
    });
    pool.on('error', (error) => {
      // The pool ends before its connections do: an embedded server that stops may hang up first.
      if (!this.closed) log.warn('A database connection was lost', { error: redact(error.message) });
    });
    return pool;
  }

  private async seek(): Promise<void> {
    this.awaySince = performance.now();
    this.primary.forget();
    for (let pause = shortestPause; !this.closed; pause = Math.min(2 * pause, longestPause)) {
      const found = await this.primary.look();
      if (found !== undefined) {
        this.use(found);
        this.awaySince = undefined;
        return this.rest();
      }
      await delay(pause, undefined, { ref: false });
    }
    throw new DatabaseUnavailable('The service is stopping');
  }

  /** Also notices a primary that was replaced while its connections stayed open. */
  private async follow(): Promise<void> {
    if (this.search) return;
    const found = await this.primary.look();
    if (found !== undefined && !this.search && !this.closed) this.use(found);
  }

  /** One host is asked only when it was lost. */
  private rest(): void {
    if (this.options.hosts.length === 1) this.primary.forget();
  }

  private use(host: number): void {
    if (host === this.current) return;
    this.current = host;
    this.options.log.warn('Another database host takes writes now', { host: this.nameOf(host) });
    // What was asked of the former one is answered by nobody, or must not be.
    for (const client of this.lent) hangUp(client);
    this.options.moved?.();
  }

  private nameOf(host: number): string {
    const { connectionString, host: name } = this.options.hosts[host] ?? {};
    return connectionString === undefined ? String(name) : new URL(connectionString).host;
  }
}

/** Not politely: the other side may be frozen. */
export function hangUp(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}

async function overAfter(milliseconds: number, signal: AbortSignal): Promise<never> {
  await delay(Math.max(0, milliseconds), undefined, { signal, ref: false });
  throw new DatabaseUnavailable('The database does not answer. Try again in a moment');
}
