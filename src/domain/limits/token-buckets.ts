/** Refill and capacity of a token bucket. */
export interface Rate {
  perMinute: number;
  burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
  /** Taken since the other replicas were last told. */
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

  /** Takes a token; when there is none, answers the milliseconds until there is. */
  take(key: string, now: number): number {
    const bucket = this.refilled(key, now);
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.perMs);
    bucket.tokens -= 1;
    bucket.spent += 1;
    return 0;
  }

  /** What each key in use took since the last call; nothing, perhaps, but others may have taken more. */
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

  /** What was collected could not be told. */
  giveBack(spent: ReadonlyMap<string, number>, now: number): void {
    for (const [key, amount] of spent) this.refilled(key, now).spent += amount;
  }

  /** Without other replicas only what has not been refilled since is still owed to anyone who joins. */
  forgetRefilled(now: number): void {
    for (const key of this.buckets.keys()) {
      const bucket = this.refilled(key, now);
      bucket.spent = Math.min(bucket.spent, this.rate.burst - bucket.tokens);
    }
  }

  /** Takes over what all replicas together have left, less what was taken here meanwhile. */
  adopt(key: string, tokens: number, now: number): void {
    const bucket = this.refilled(key, now);
    bucket.tokens = Math.min(this.rate.burst, tokens - bucket.spent);
  }

  /** Forgets full buckets: they are what a new one would be. */
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
    // A clock set back must not take tokens away.
    const elapsed = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(this.rate.burst, bucket.tokens + elapsed * this.perMs);
    bucket.at = now;
    return bucket;
  }
}
