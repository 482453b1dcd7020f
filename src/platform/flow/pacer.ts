/** A token bucket: `burst` messages at once, then `perSecond`. */
export interface PaceLimits {
  burst: number;
  perSecond: number;
}

const bytesPerToken = 64 * 1024;

/** The throttled connections of one organization, each with the time until which it has to wait. */
class Throttled {
  private readonly until = new Map<Pacer, number>();

  add(pacer: Pacer, until: number): void {
    this.until.set(pacer, until);
  }

  remove(pacer: Pacer): void {
    this.until.delete(pacer);
  }

  count(now: number): number {
    for (const [pacer, until] of this.until) if (until <= now) this.until.delete(pacer);
    return this.until.size;
  }
}

/**
 * Limits how fast one connection is read, by a token bucket that may go into debt: unsolicited messages and bytes cost
 * tokens, answers are refunded, and the reader pauses until the debt is paid. Messages are delayed, never dropped. The
 * throttled connections of one organization share one rate, so that opening more of them gains nothing.
 */
export class Pacer {
  private readonly limits: PaceLimits;
  private readonly throttled: Throttled;
  private readonly now: () => number;
  private tokens: number;
  private at: number;

  constructor(
    limits: PaceLimits,
    now: () => number = () => performance.now(),
    throttled: Throttled = new Throttled(),
  ) {
    this.limits = limits;
    this.now = now;
    this.throttled = throttled;
    this.tokens = limits.burst;
    this.at = now();
  }

  /** Takes tokens for messages with a total of `bytes`. Returns the milliseconds to pause before reading on. */
  take(messages: number, bytes: number): number {
    const now = this.now();
    this.throttled.remove(this);
    const perMs = this.limits.perSecond / 1000 / (this.throttled.count(now) + 1);
    this.tokens = Math.min(this.limits.burst, this.tokens + (now - this.at) * perMs);
    this.at = now;
    this.tokens -= messages + Math.floor(bytes / bytesPerToken);
    if (this.tokens >= 0) return 0;
    const wait = -this.tokens / perMs;
    this.throttled.add(this, now + wait);
    return wait;
  }

  /** Refunds the token of a message that was the answer to a request. */
  refund(): void {
    this.tokens = Math.min(this.limits.burst, this.tokens + 1);
  }
}

const connectionLimits: PaceLimits = { burst: 600, perSecond: 250 };
const maxOwners = 1_000;

/** Creates the pacers of connections, grouped by organization. */
export class ConnectionPacers {
  private readonly owners = new Map<string, Throttled>();

  create(owner: string): Pacer {
    return new Pacer(connectionLimits, undefined, this.throttledOf(owner));
  }

  private throttledOf(owner: string): Throttled {
    const known = this.owners.get(owner);
    if (known) return known;
    const now = performance.now();
    // A group without throttled connections is the same as a new one.
    if (this.owners.size >= maxOwners)
      for (const [name, group] of this.owners) if (group.count(now) === 0) this.owners.delete(name);
    const throttled = new Throttled();
    this.owners.set(owner, throttled);
    return throttled;
  }
}
