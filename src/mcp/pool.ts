import type { Connection } from './connection.ts';
import { Deadline, type Wait } from './deadline.ts';
import { type FailureKind, McpFailure } from './failures.ts';
import type { Target } from './target.ts';

export interface PoolLimits {
  /** Connections kept at once, those of commands included. */
  connections: number;
  /** Commands running at once. */
  processes: number;
  /** Milliseconds a connection may be idle before it is closed. */
  idle: number;
  /** Milliseconds of idleness after which the other side is asked whether it is still there. */
  checkAfter: number;
}

interface Entry {
  key: string;
  process: boolean;
  connection: Connection;
  users: number;
  lastUsed: number;
  /** Nobody new may have it; it is closed when its users are done. */
  retired: boolean;
  checking?: Promise<boolean> | undefined;
}

interface Opening {
  entry: Promise<Entry>;
  waiting: number;
  abandon: AbortController;
}

type Open = (target: Target, wait: Wait) => Promise<Connection>;

/** The connection itself is fine after these: the server answered. */
const answered = new Set<FailureKind>([
  'rpc',
  'unauthorized',
  'scope',
  'forbidden',
  'rate-limited',
  'cancelled',
]);

/** Warm connections, one per target key, shared by everyone who may use that key. */
export class Pool {
  private readonly entries = new Map<string, Entry>();
  private readonly openings = new Map<string, Opening>();
  private readonly closing = new Set<Promise<void>>();
  private readonly limits: PoolLimits;
  private readonly open: Open;
  private readonly now: () => number;
  private readonly sweeper: NodeJS.Timeout;
  /** Connections being opened: they take up room before they exist. */
  private readonly reserved = { all: 0, processes: 0 };
  private released: (() => void)[] = [];
  private ended = false;

  constructor(limits: PoolLimits, open: Open, now: () => number) {
    this.limits = limits;
    this.open = open;
    this.now = now;
    this.sweeper = setInterval(() => this.sweep(), Math.max(100, limits.idle / 4)).unref();
  }

  /** Connections that are open now. */
  get size(): number {
    return this.entries.size;
  }

  /**
   * Does `work` on a warm connection, or on a new one. If the warm one turns out to have died while it was idle, and
   * nothing was sent, the work is done once more on a new one.
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

  async close(): Promise<void> {
    this.ended = true;
    clearInterval(this.sweeper);
    for (const opening of this.openings.values()) opening.abandon.abort();
    for (const entry of this.entries.values()) this.retire(entry, true);
    await Promise.all(this.closing);
  }

  /** Works on an entry that was taken, and gives it back. */
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

  /** From here on nobody closes it. */
  private take(entry: Entry): Entry {
    entry.users++;
    return entry;
  }

  private giveBack(entry: Entry): void {
    entry.users--;
    entry.lastUsed = this.now();
    if (entry.retired && entry.users === 0) this.end(entry);
    this.released.shift()?.();
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

  /** Everybody who wants the same connection waits for the same opening of it. */
  private async fresh(target: Target, wait: Wait): Promise<Entry> {
    const deadline = new Deadline(wait);
    const ends = this.now() + wait.timeout;
    try {
      for (;;) {
        const current = this.entries.get(target.key);
        if (current && !current.connection.broken) return this.take(current);
        const begun = this.openings.get(target.key);
        const left = { ...wait, timeout: Math.max(1, ends - this.now()) };
        const entry = await this.join(begun ?? this.begin(target, left), deadline).catch((error: unknown) => {
          // Whoever began it had less time left than we have.
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

  private async join(opening: Opening, deadline: Deadline): Promise<Entry> {
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
    const entry = this.establish(target, { ...wait, signal: abandon.signal }).finally(() =>
      this.openings.delete(target.key),
    );
    entry.catch(() => {});
    const opening = { entry, waiting: 0, abandon };
    this.openings.set(target.key, opening);
    return opening;
  }

  private async establish(target: Target, wait: Wait): Promise<Entry> {
    const process = target.kind === 'stdio';
    const started = this.now();
    await this.reserve(process, wait);
    try {
      const timeout = Math.max(1, wait.timeout - (this.now() - started));
      const connection = await this.open(target, { ...wait, timeout });
      const entry = { key: target.key, process, connection, users: 0, lastUsed: this.now(), retired: false };
      if (!this.ended && !wait.signal?.aborted) return this.admit(entry);
      this.end(entry);
      throw new McpFailure('cancelled', 'The connection is no longer wanted', { notSent: true });
    } finally {
      this.reserved.all--;
      if (process) this.reserved.processes--;
      this.released.shift()?.();
    }
  }

  private admit(entry: Entry): Entry {
    this.entries.set(entry.key, entry);
    // Held until those who waited for it have taken it.
    this.take(entry);
    setImmediate(() => this.giveBack(entry));
    return entry;
  }

  /** Waits until one more connection may be opened, closing the one that was idle longest, and takes its place. */
  private async reserve(process: boolean, wait: Wait): Promise<void> {
    const deadline = new Deadline(wait);
    try {
      while (this.full(process)) {
        const victim = this.idlest(process);
        if (victim) this.retire(victim);
        else await this.release(deadline);
      }
      this.reserved.all++;
      if (process) this.reserved.processes++;
    } catch (error) {
      if (error instanceof McpFailure && error.kind === 'timeout')
        throw new McpFailure(
          'timeout',
          'All connections to MCP servers are busy (timed out). Try again later',
          {
            notSent: true,
          },
        );
      throw error;
    } finally {
      deadline.end();
    }
  }

  /** Until somebody gives something back. */
  private async release(deadline: Deadline): Promise<void> {
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => (wake = resolve));
    this.released.push(wake);
    try {
      await deadline.race(woken);
    } catch (error) {
      // Whoever waits behind us must not lose a turn to us.
      this.released = this.released.filter((other) => other !== wake);
      throw error;
    }
  }

  private full(process: boolean): boolean {
    if (process && this.processes >= this.limits.processes) return true;
    return this.entries.size + this.reserved.all >= this.limits.connections;
  }

  private get processes(): number {
    let count = this.reserved.processes;
    for (const entry of this.entries.values()) if (entry.process) count++;
    return count;
  }

  /** Where commands are short, only a command makes room for another. */
  private idlest(process: boolean): Entry | undefined {
    const onlyProcesses = process && this.processes >= this.limits.processes;
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
  }

  private retire(entry: Entry, atOnce = false): void {
    if (this.entries.get(entry.key) === entry) this.entries.delete(entry.key);
    if (entry.retired && !atOnce) return;
    entry.retired = true;
    if (entry.users === 0 || atOnce) this.end(entry);
    this.released.shift()?.();
  }

  private end(entry: Entry): void {
    const closed = entry.connection.close().finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }
}
