import { setTimeout as delay } from 'node:timers/promises';
import type { PaceGate } from '../../models/retry.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import * as pauses from '../../platform/database/queries/model-pauses.ts';

/** Milliseconds to cache the state of a pool. */
const cacheTime = 5_000;

/**
 * Shares provider rate limits between processes: when a provider tells one to wait, all wait. Checked before each
 * call, so it is cached and refreshed on announcements.
 */
export class ModelPauses implements PaceGate {
  private readonly db: Db;
  private readonly until = new Map<string, { time: number; checkedAt: number }>();

  /** Short-lived callers may omit notifications. */
  constructor(db: Db, notifications?: Notifications) {
    this.db = db;
    notifications?.on('drydock_model_pauses', (pool) => {
      if (pool === undefined) this.until.clear();
      else this.until.delete(pool);
    });
  }

  async wait(pool: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const left = await this.left(pool);
      if (left <= 0) return;
      // Jitter, so that waiters do not resume at the same moment.
      await delay(left + Math.random() * Math.min(left, 1_000), undefined, { signal });
    }
  }

  async pause(pool: string, untilMs: number): Promise<void> {
    this.until.delete(pool);
    await this.db.run(pauses.pause, { pool, ms: Math.max(0, untilMs - Date.now()) });
  }

  private async left(pool: string): Promise<number> {
    const now = performance.now();
    const known = this.until.get(pool);
    if (known && now - known.checkedAt < cacheTime) return known.time - now;
    const { ms = 0 } = (await this.db.row(pauses.left, { pool })) ?? {};
    this.until.set(pool, { time: now + ms, checkedAt: now });
    return ms;
  }
}
