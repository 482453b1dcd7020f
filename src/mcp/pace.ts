/** Messages at once, and each second after that. */
export interface PaceLimits {
  burst: number;
  perSecond: number;
}

const bytesPerToken = 64 * 1024;

/** What the connections of one organization that send too much share. */
class Share {
  /** Until when each of them has to wait. */
  private readonly owing = new Map<Pace, number>();

  note(pace: Pace, until: number): void {
    this.owing.set(pace, until);
  }

  settle(pace: Pace): void {
    this.owing.delete(pace);
  }

  /** How many wait now. */
  count(now: number): number {
    for (const [pace, until] of this.owing) if (until <= now) this.owing.delete(pace);
    return this.owing.size;
  }
}

/**
 * How fast one connection may send what nobody asked for: notifications, requests, padding. A server that sends more is
 * read more slowly; nothing is lost, and no other connection waits for it. Those of one organization that are slowed down
 * share one rate, so that many of them cost no more than one. Answers are given back.
 */
export class Pace {
  private readonly limits: PaceLimits;
  private readonly share: Share;
  private readonly now: () => number;
  private tokens: number;
  private at: number;

  constructor(limits: PaceLimits, now: () => number = () => performance.now(), share = new Share()) {
    this.limits = limits;
    this.now = now;
    this.share = share;
    this.tokens = limits.burst;
    this.at = now();
  }

  /** Counts some messages of so many bytes. Milliseconds to wait before more is read; mostly none. */
  take(messages: number, bytes: number): number {
    const now = this.now();
    this.share.settle(this);
    const perMs = this.limits.perSecond / 1000 / (this.share.count(now) + 1);
    this.tokens = Math.min(this.limits.burst, this.tokens + (now - this.at) * perMs);
    this.at = now;
    this.tokens -= messages + Math.floor(bytes / bytesPerToken);
    if (this.tokens >= 0) return 0;
    const wait = -this.tokens / perMs;
    this.share.note(this, now + wait);
    return wait;
  }

  /** One of the messages was an answer. */
  answered(): void {
    this.tokens = Math.min(this.limits.burst, this.tokens + 1);
  }
}

const usual: PaceLimits = { burst: 600, perSecond: 250 };
const most = 1_000;

/** Paces by organization. */
export class Paces {
  private readonly shares = new Map<string, Share>();

  /** For a new connection. */
  of(owner: string): Pace {
    return new Pace(usual, undefined, this.shareOf(owner));
  }

  private shareOf(owner: string): Share {
    const known = this.shares.get(owner);
    if (known) return known;
    const now = performance.now();
    // One that nobody waits in is what a new one would be.
    if (this.shares.size >= most)
      for (const [name, share] of this.shares) if (share.count(now) === 0) this.shares.delete(name);
    const share = new Share();
    this.shares.set(owner, share);
    return share;
  }
}
