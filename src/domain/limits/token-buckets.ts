/** Refill and capacity of a token bucket. */
export interface Rate {
  perMinute: number;
  burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
  /** Taken since the last exchange with other replicas. */
  spent: number;
}

/** One bucket per key, exact within this process. Time is passed in. */
export class TokenBuckets {
  readonly rate: Rate;
  private readonly buckets = new Map<string, Bucket>();
  private readonly perMs: number;

  constructor(rate: Rate) {
    this.rate = rate;
    this.perMs = rate.perMinute / 60_000;
  }

  get size(): number {
    return this.buckets.size;
  }

  /** Takes a token, or returns the milliseconds until one is available. */
  take(key: string, now: number): number {
    const bucket = this.refilled(key, now);
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.perMs);
    bucket.tokens -= 1;
    bucket.spent += 1;
    return 0;
  }

  /**
   * Tokens each key in use took since the last call. Includes zeros, since other replicas may have taken tokens of
   * these keys.
   */
  collectSpent(now: number): Map<string, number> {
    const spent = new Map<string, number>();
    for (const key of this.buckets.keys()) {
      const bucket = this.refilled(key, now);
      if (bucket.spent === 0 && bucket.tokens >= this.rate.burst) continue;
      spent.set(key, bucket.spent);
      bucket.spent = 0;
    }
    return spent;
  }

  /** Restores collected amounts that could not be sent. */
  giveBack(spent: ReadonlyMap<string, number>, now: number): void {
    for (const [key, amount] of spent) this.refilled(key, now).spent += amount;
  }

  /** Keeps `spent` only for buckets not yet refilled: only these matter to replicas that join. */
  forgetRefilled(now: number): void {
    for (const key of this.buckets.keys()) {
      const bucket = this.refilled(key, now);
      bucket.spent = Math.min(bucket.spent, this.rate.burst - bucket.tokens);
    }
  }

  /** Sets the shared balance, less what was taken here since the exchange began. */
  adopt(key: string, tokens: number, now: number): void {
    const bucket = this.refilled(key, now);
    bucket.tokens = Math.min(this.rate.burst, tokens - bucket.spent);
  }

  /** Drops full buckets, which equal new ones. */
  sweep(now: number): void {
    for (const key of this.buckets.keys()) {
      const bucket = this.refilled(key, now);
      if (bucket.tokens >= this.rate.burst && bucket.spent === 0) this.buckets.delete(key);
    }
  }

  private refilled(key: string, now: number): Bucket {
    const bucket = this.buckets.get(key);
    if (!bucket) {
      const fresh = { tokens: this.rate.burst, at: now, spent: 0 };
      this.buckets.set(key, fresh);
      return fresh;
    }
    // A clock set back must not remove tokens.
    const elapsed = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(this.rate.burst, bucket.tokens + elapsed * this.perMs);
    bucket.at = now;
    return bucket;
  }
}
