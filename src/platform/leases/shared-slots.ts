import { randomUUID } from 'node:crypto';
import type { Db } from '../database/database.ts';
import * as grants from '../database/queries/slot-grants.ts';
import { type Log, redact } from '../log.ts';

interface SharedSlotsOptions {
  db: Db;
  log: Log;
  /** Milliseconds of a clock that cannot be set. */
  now: () => number;
}

interface Pool {
  most: number;
  /** How many this process may use, and when it was told so. */
  usable: number;
  toldAt: number;
  busy: number;
  waiting: (() => void)[];
  exchanging: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** Milliseconds between two exchanges: while somebody waits, and to stay known. */
const whileShort = 200;
const heartbeat = 2_000;
/** How long a silent process keeps its slots; a little less than what the database waits. */
const silence = 8_000;

/**
 * Bounds how many do something at once, over all processes. Each process asks the database for as many slots as there
 * are and gets its share; while it works there is one exchange every two seconds, not one for each slot.
 */
export class SharedSlots {
  private readonly options: SharedSlotsOptions;
  private readonly holder = randomUUID();
  private readonly pools = new Map<string, Pool>();

  constructor(options: SharedSlotsOptions) {
    this.options = options;
  }

  /** Waits for one of `most` slots and gives it back when the work has ended. */
  async run<T>(name: string, most: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const pool = this.poolOf(name, most);
    await this.enter(name, pool, signal);
    try {
      return await work();
    } finally {
      pool.busy--;
      this.pass(name, pool);
    }
  }

  async stop(): Promise<void> {
    for (const { timer } of this.pools.values()) clearTimeout(timer);
    if (this.pools.size > 0) await this.options.db.run(grants.leave, { holder: this.holder }).catch(() => {});
    this.pools.clear();
  }

  private poolOf(name: string, most: number): Pool {
    const known = this.pools.get(name);
    if (known) {
      known.most = most;
      return known;
    }
    const pool: Pool = {
      most,
      usable: 0,
      toldAt: -Infinity,
      busy: 0,
      waiting: [],
      exchanging: false,
      timer: undefined,
    };
    this.pools.set(name, pool);
    return pool;
  }

  private async enter(name: string, pool: Pool, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (pool.waiting.length === 0 && this.hasRoom(pool)) {
      pool.busy++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        pool.busy++;
        resolve();
      };
      const leave = (): void => {
        const place = pool.waiting.indexOf(enter);
        if (place >= 0) pool.waiting.splice(place, 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      pool.waiting.push(enter);
      void this.exchange(name, pool);
    });
  }

  private hasRoom(pool: Pool): boolean {
    return pool.busy < pool.usable && this.options.now() - pool.toldAt < silence;
  }

  private pass(name: string, pool: Pool): void {
    while (pool.waiting.length > 0 && this.hasRoom(pool)) pool.waiting.shift()?.();
    // More in use than is ours: somebody waits for what was just given back.
    if (pool.busy >= pool.usable && pool.usable < pool.most) void this.exchange(name, pool);
  }

  private async exchange(name: string, pool: Pool): Promise<void> {
    if (pool.exchanging) return;
    pool.exchanging = true;
    clearTimeout(pool.timer);
    const { db, log, now } = this.options;
    const demand = pool.busy + pool.waiting.length;
    const request = {
      pool: name,
      holder: this.holder,
      most: pool.most,
      wanted: demand > 0 ? pool.most : 0,
      busy: pool.busy,
    };
    const sentAt = now();
    try {
      const { usable } = await db.transaction(async (trx) => {
        await trx.row(grants.lineUp, { pool: name });
        return trx.one(grants.exchange, request);
      });
      pool.usable = usable;
      pool.toldAt = sentAt;
    } catch (error) {
      log.warn('Slots cannot be exchanged', { pool: name, error: redact((error as Error).message) });
    } finally {
      pool.exchanging = false;
    }
    while (pool.waiting.length > 0 && this.hasRoom(pool)) pool.waiting.shift()?.();
    this.next(name, pool);
  }

  /** A process that wants nothing says so once, and is heard of no more. */
  private next(name: string, pool: Pool): void {
    if (!this.pools.has(name)) return;
    const demand = pool.busy + pool.waiting.length;
    if (demand === 0 && pool.usable === 0) {
      this.pools.delete(name);
      return;
    }
    const wait = pool.waiting.length > 0 ? whileShort : heartbeat;
    pool.timer = setTimeout(() => void this.exchange(name, pool), wait).unref();
  }
}
