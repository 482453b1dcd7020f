import type { Connection } from './connection.ts';
import { ConnectionSlots } from './connection-slots.ts';
import { deadlineOf, type McpDeadline, type Wait } from './deadline.ts';
import { type FailureKind, McpFailure } from './failures.ts';
import type { Target } from './target.ts';

export interface PoolLimits {
  /** Maximum number of open connections, including those of commands. */
  connections: number;
  /** Maximum number of running commands. */
  processes: number;
  /** Milliseconds after which an idle connection is closed. */
  idle: number;
  /** Milliseconds of idleness after which a connection is checked before use. */
  checkAfter: number;
}

interface Entry {
  target: Target;
  process: boolean;
  connection: Connection;
  users: number;
  lastUsed: number;
  /** Not given to new users; closed when the current ones are done. */
  retired: boolean;
  leave: () => void;
  checking?: Promise<boolean> | undefined;
}

interface Opening {
  entry: Promise<Entry>;
  waiting: number;
  abandon: AbortController;
}

type Open = (target: Target, wait: Wait) => Promise<Connection>;

/** Failures after which the connection is still usable, because the server answered. */
const answered = new Set<FailureKind>([
  'rpc',
  'unauthorized',
  'scope',
  'forbidden',
  'rate-limited',
  'busy',
  'cancelled',
]);

/**
 * Warm connections, one per target key, shared by everyone who may use that key. Exclusive connections count against
 * the same limits.
 */
export class Pool {
  private readonly entries = new Map<string, Entry>();
  private readonly openings = new Map<string, Opening>();
  private readonly closing = new Set<Promise<void>>();
  private readonly limits: PoolLimits;
  private readonly open: Open;
  private readonly now: () => number;
  private readonly sweeper: NodeJS.Timeout;
  private readonly slots: ConnectionSlots;
  private ended = false;

  constructor(limits: PoolLimits, open: Open, now: () => number) {
    this.limits = limits;
    this.open = open;
    this.now = now;
    this.slots = new ConnectionSlots(limits);
    this.sweeper = setInterval(() => this.sweep(), Math.max(100, limits.idle / 4)).unref();
  }

  /** Number of warm connections. */
  get size(): number {
    return this.entries.size;
  }

  /** Number of running commands, including those that are ending. */
  get processes(): number {
    return this.slots.processes;
  }

  /**
   * Runs `work` on a warm connection or a new one. If the warm one turns out to be dead and nothing was sent, runs it
   * again on a new one.
   */
  async use<T>(target: Target, wait: Wait, work: (connection: Connection) => Promise<T>): Promise<T> {
    const ends = this.now() + wait.timeout;
    const warm = await this.warm(target, wait);
    if (warm) {
      try {
        return await this.on(warm, work);
      } catch (error) {
        if (!(error instanceof McpFailure) || error.facts.notSent !== true) throw error;
      }
    }
    const left = Math.max(1, ends - this.now());
    return this.on(await this.fresh(target, { ...wait, timeout: left }), work);
  }

  /** Runs `work` on an exclusive connection, opened for it and closed afterwards. */
  async alone<T>(
    target: Target,
    wait: Wait,
    open: Open,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const { connection, leave } = await this.establish(target, wait, open);
    try {
      return await work(connection);
    } finally {
      this.end(connection, leave);
    }
  }

  /** Retires the connections to matching targets: they get no new users, and idle ones are closed. */
  retireWhere(matches: (target: Target) => boolean): void {
    for (const entry of [...this.entries.values()]) if (matches(entry.target)) this.retire(entry);
  }

  async close(): Promise<void> {
    this.ended = true;
    clearInterval(this.sweeper);
    for (const opening of this.openings.values()) opening.abandon.abort();
    for (const entry of this.entries.values()) this.retire(entry, true);
    await Promise.all(this.closing);
  }

  /** Runs `work` on an acquired entry and releases it. */
  private async on<T>(entry: Entry, work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await work(entry.connection);
    } catch (error) {
      if (!(error instanceof McpFailure) || !answered.has(error.kind)) this.retire(entry);
      throw error;
    } finally {
      this.giveBack(entry);
    }
  }

  /** Acquires the entry, which keeps it open. */
  private take(entry: Entry): Entry {
    entry.users++;
    return entry;
  }

  private giveBack(entry: Entry): void {
    entry.users--;
    entry.lastUsed = this.now();
    if (entry.users > 0) return;
    if (entry.retired) this.end(entry.connection, entry.leave);
    else if (this.slots.waiting > 0) this.makeRoom(this.slots.lacksProcesses());
  }

  private async warm({ key }: Target, wait: Wait): Promise<Entry | undefined> {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    const idle = entry.users === 0 && this.now() - entry.lastUsed > this.limits.checkAfter;
    if (entry.connection.broken) {
      this.retire(entry);
      return undefined;
    }
    if (!idle && !entry.checking) return this.take(entry);
    entry.checking ??= entry.connection.alive(Math.min(2000, wait.timeout / 2)).finally(() => {
      entry.checking = undefined;
      entry.lastUsed = this.now();
    });
    if ((await entry.checking) && !entry.retired) return this.take(entry);
    this.retire(entry);
    return undefined;
  }

  /** All callers who need the same connection share one attempt to open it. */
  private async fresh(target: Target, wait: Wait): Promise<Entry> {
    const deadline = deadlineOf(wait);
    const ends = this.now() + wait.timeout;
    try {
      for (;;) {
        const current = this.entries.get(target.key);
        if (current && !current.connection.broken) return this.take(current);
        const begun = this.openings.get(target.key);
        const left = { ...wait, timeout: Math.max(1, ends - this.now()) };
        const entry = await this.join(begun ?? this.begin(target, left), deadline).catch((error: unknown) => {
          // The first caller's timeout was shorter than ours.
          const notOurs =
            begun && !deadline.reason && error instanceof McpFailure && error.kind === 'timeout';
          if (!notOurs) throw error;
        });
        if (entry) return this.take(entry);
      }
    } finally {
      deadline.end();
    }
  }

  private async join(opening: Opening, deadline: McpDeadline): Promise<Entry> {
    opening.waiting++;
    try {
      return await deadline.race(opening.entry);
    } finally {
      opening.waiting--;
      if (opening.waiting === 0) opening.abandon.abort();
    }
  }

  private begin(target: Target, wait: Wait): Opening {
    const abandon = new AbortController();
    const entry = this.warmUp(target, { ...wait, signal: abandon.signal }).finally(() =>
      this.openings.delete(target.key),
    );
    entry.catch(() => {});
    const opening = { entry, waiting: 0, abandon };
    this.openings.set(target.key, opening);
    return opening;
  }

  private async warmUp(target: Target, wait: Wait): Promise<Entry> {
    const { connection, leave } = await this.establish(target, wait, this.open);
    if (this.ended || wait.signal?.aborted) {
      this.end(connection, leave);
      throw new McpFailure('cancelled', 'The connection is no longer needed', { notSent: true });
    }
    const process = target.kind === 'stdio';
    const entry = { target, process, connection, users: 0, lastUsed: this.now(), retired: false, leave };
    this.entries.set(target.key, entry);
    // Held until the waiting callers have acquired it.
    this.take(entry);
    setImmediate(() => this.giveBack(entry));
    return entry;
  }

  /** Waits for a slot, closing the longest idle connection if necessary, and opens a connection. */
  private async establish(
    target: Target,
    wait: Wait,
    open: Open,
  ): Promise<{ connection: Connection; leave: () => void }> {
    const process = target.kind === 'stdio';
    const started = this.now();
    const leave = await this.slots.take(target.owner, process, wait, () => this.makeRoom(process));
    try {
      const timeout = Math.max(1, wait.timeout - (this.now() - started));
      return { connection: await open(target, { ...wait, timeout }), leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Closing connections free their slots soon, so no more are closed than callers wait. */
  private makeRoom(process: boolean): void {
    const wanted = Math.max(1, this.slots.waiting);
    while (!this.ended && this.closing.size < wanted) {
      const victim = this.idlest(process && this.slots.lacksProcesses());
      if (!victim) return;
      this.retire(victim);
    }
  }

  private idlest(onlyProcesses: boolean): Entry | undefined {
    let idlest: Entry | undefined;
    for (const entry of this.entries.values()) {
      if (entry.users > 0 || (onlyProcesses && !entry.process)) continue;
      if (!idlest || entry.lastUsed < idlest.lastUsed) idlest = entry;
    }
    return idlest;
  }

  private sweep(): void {
    for (const entry of this.entries.values())
      if (entry.connection.broken || (entry.users === 0 && this.now() - entry.lastUsed > this.limits.idle))
        this.retire(entry);
    if (this.slots.waiting > 0) this.makeRoom(this.slots.lacksProcesses());
  }

  private retire(entry: Entry, atOnce = false): void {
    if (this.entries.get(entry.target.key) === entry) this.entries.delete(entry.target.key);
    if (entry.retired && !atOnce) return;
    entry.retired = true;
    if (entry.users === 0 || atOnce) this.end(entry.connection, entry.leave);
  }

  /** Frees the slot when the connection has closed. */
  private end(connection: Connection, leave: () => void): void {
    const closed = connection.close().finally(() => {
      this.closing.delete(closed);
      leave();
      if (this.slots.waiting > 0) this.makeRoom(this.slots.lacksProcesses());
    });
    this.closing.add(closed);
  }
}
