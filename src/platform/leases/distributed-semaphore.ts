import { randomUUID } from 'node:crypto';
import type { Db } from '../database/database.ts';
import * as grants from '../database/queries/slot-grants.ts';
import { Semaphore } from '../flow/semaphore.ts';
import { type Log, redact } from '../log.ts';

interface DistributedSemaphoreOptions {
  db: Db;
  log: Log;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
}

interface Pool {
  permits: number;
  /** The share granted to this process, and when it was requested. */
  granted: number;
  grantedAt: number;
  local: Semaphore;
  exchanging: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** Milliseconds between two exchanges while tasks wait, and otherwise. */
const contendedInterval = 200;
const heartbeatInterval = 2_000;
/** Milliseconds for which a grant is valid. A little less than the database waits before it reassigns it. */
const grantLifetime = 8_000;

/**
 * Limits how many tasks run at once over all processes. Each process asks the database for all permits and is granted
 * its share. It exchanges counts with the database every two seconds, more often while tasks wait, but not per permit.
 */
export class DistributedSemaphore {
  private readonly options: DistributedSemaphoreOptions;
  private readonly holder = randomUUID();
  private readonly pools = new Map<string, Pool>();

  constructor(options: DistributedSemaphoreOptions) {
    this.options = options;
  }

  /** Runs the task while holding one of the pool's permits. */
  async run<T>(name: string, permits: number, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const pool = this.poolOf(name, permits);
    const acquired = pool.local.acquire({ signal });
    if (pool.local.waiting > 0) void this.exchange(name, pool);
    const release = await acquired;
    try {
      return await task();
    } finally {
      release();
      // This process uses more than its share: another one waits for the permit.
      if (pool.local.inUse >= pool.granted && pool.granted < pool.permits) void this.exchange(name, pool);
    }
  }

  async stop(): Promise<void> {
    for (const { timer } of this.pools.values()) clearTimeout(timer);
    if (this.pools.size > 0) await this.options.db.run(grants.leave, { holder: this.holder }).catch(() => {});
    this.pools.clear();
  }

  private poolOf(name: string, permits: number): Pool {
    const known = this.pools.get(name);
    if (known) {
      known.permits = permits;
      return known;
    }
    const isCurrent = (): boolean => this.options.now() - pool.grantedAt < grantLifetime;
    const pool: Pool = {
      permits,
      granted: 0,
      grantedAt: -Infinity,
      local: new Semaphore(() => (isCurrent() ? pool.granted : 0)),
      exchanging: false,
      timer: undefined,
    };
    this.pools.set(name, pool);
    return pool;
  }

  private async exchange(name: string, pool: Pool): Promise<void> {
    if (pool.exchanging) return;
    pool.exchanging = true;
    clearTimeout(pool.timer);
    const { db, log, now } = this.options;
    const request = {
      pool: name,
      holder: this.holder,
      most: pool.permits,
      wanted: isIdle(pool) ? 0 : pool.permits,
      busy: pool.local.inUse,
    };
    const sentAt = now();
    try {
      const { usable } = await db.transaction(async (trx) => {
        await trx.row(grants.lockPool, { pool: name });
        return trx.one(grants.exchange, request);
      });
      pool.granted = usable;
      pool.grantedAt = sentAt;
    } catch (error) {
      log.warn('Semaphore permits could not be renewed', {
        pool: name,
        error: redact((error as Error).message),
      });
    } finally {
      pool.exchanging = false;
    }
    pool.local.serve();
    this.scheduleNext(name, pool);
  }

  /** An idle process returns its grant with one exchange and then stops exchanging. */
  private scheduleNext(name: string, pool: Pool): void {
    if (!this.pools.has(name)) return;
    if (isIdle(pool) && pool.granted === 0) {
      this.pools.delete(name);
      return;
    }
    const wait = pool.local.waiting > 0 ? contendedInterval : heartbeatInterval;
    pool.timer = setTimeout(() => void this.exchange(name, pool), wait).unref();
  }
}

function isIdle({ local }: Pool): boolean {
  return local.inUse + local.waiting === 0;
}
