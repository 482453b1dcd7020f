import { Refusal } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as replicas from '../../platform/database/queries/replicas.ts';
import type { Presence } from '../../platform/presence.ts';
import { counters } from '../../platform/telemetry/metrics.ts';
import { type Rate, TokenBuckets } from './token-buckets.ts';

/** Intervals in milliseconds. */
const heartbeat = 5_000;
const exchangeInterval = 200;
const sweepInterval = 60_000;

/**
 * Charges requests to keys in process memory, without the database. While other replicas run, spending is exchanged
 * with them every 200 ms: a key may overdraw by at most one burst per further replica, and must pay it back before it
 * gets more.
 */
export class RateLimiter {
  private readonly buckets: TokenBuckets;
  private readonly clock: Clock;
  private readonly db: Db;
  /** The noun for error messages, such as "API key". */
  private readonly payer: string;
  private readonly presence: Presence | undefined;
  private readonly timers: NodeJS.Timeout[] = [];
  private others = 0;
  private sweptAt = 0;

  constructor(rate: Rate, clock: Clock, db: Db, payer = 'API key', presence?: Presence) {
    this.payer = payer;
    this.presence = presence;
    this.buckets = new TokenBuckets(rate);
    this.clock = clock;
    this.db = db;
  }

  charge(payerId: string): void {
    this.sweepAlone();
    const wait = this.buckets.take(payerId, this.clock());
    if (wait === 0) return;
    const seconds = Math.ceil(wait / 1000);
    counters.rateLimited.add(this.payer);
    throw new Refusal('RATE_LIMITED', `Rate limit exceeded (${this.payer}). Retry in ${seconds} s`, {
      details: { retryAfterMs: wait },
      retryAfter: seconds,
    });
  }

  /** Number of keys in memory. */
  get size(): number {
    return this.buckets.size;
  }

  /** Starts looking for other replicas. Not needed if this process is the only one. */
  async join(): Promise<void> {
    await this.meet();
    this.repeat(heartbeat, () => this.meet());
    this.repeat(exchangeInterval, () => this.exchange());
  }

  /** Counts the other replicas and exchanges spending with them. */
  async meet(): Promise<void> {
    const alone = this.others === 0;
    await this.presence?.beat();
    this.others = (await this.presence?.others()) ?? 0;
    if (alone) this.buckets.forgetRefilled(this.clock());
    this.buckets.sweep(this.clock());
    await this.exchange();
  }

  leave(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Drops full buckets on requests when no timer runs `meet`, so that memory stays bounded. */
  private sweepAlone(): void {
    const now = this.clock();
    if (this.timers.length > 0 || this.others > 0 || Math.abs(now - this.sweptAt) < sweepInterval) return;
    this.sweptAt = now;
    this.buckets.forgetRefilled(now);
    this.buckets.sweep(now);
  }

  private async exchange(): Promise<void> {
    if (this.others === 0) return;
    const spent = this.buckets.collectSpent(this.clock());
    if (spent.size === 0) return;
    const { burst, perMinute } = this.buckets.rate;
    const booked = {
      keyIds: [...spent.keys()],
      spent: [...spent.values()],
      burst,
      perSecond: perMinute / 60,
    };
    const left = await this.db.rows(replicas.exchange, booked).catch((error: unknown) => {
      // Reported again with the next exchange. If only the response was lost, the key pays twice, which is better
      // than not at all.
      this.buckets.giveBack(spent, this.clock());
      throw error;
    });
    for (const { keyId, tokens } of left) this.buckets.adopt(keyId, tokens, this.clock());
  }

  private repeat(interval: number, work: () => Promise<void>): void {
    // A missed exchange only delays the shared count, so a failure waits for the next interval.
    this.timers.push(setInterval(() => void work().catch(() => {}), interval).unref());
  }
}
