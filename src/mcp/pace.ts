/** Messages at once, and each second after that. */
export interface PaceLimits {
  burst: number;
  perSecond: number;
}

const bytesPerToken = 64 * 1024;

/**
 * How fast the servers of one organization may send what nobody asked for: notifications, requests, padding. Whoever
 * sends more is read more slowly; nothing is lost, and nobody else waits for it. Answers are given back.
 */
export class Pace {
  private readonly limits: PaceLimits;
  private readonly now: () => number;
  private tokens: number;
  private at: number;

  constructor(limits: PaceLimits, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.now = now;
    this.tokens = limits.burst;
    this.at = now();
  }

  /** Counts some messages of so many bytes. Milliseconds to wait before more is read; mostly none. */
  take(messages: number, bytes: number): number {
    const now = this.now();
    const { burst, perSecond } = this.limits;
    this.tokens = Math.min(burst, this.tokens + ((now - this.at) * perSecond) / 1000);
    this.at = now;
    this.tokens -= messages + Math.floor(bytes / bytesPerToken);
    return this.tokens >= 0 ? 0 : (-this.tokens / perSecond) * 1000;
  }

  /** One of the messages was an answer. */
  answered(): void {
    this.tokens = Math.min(this.limits.burst, this.tokens + 1);
  }

  get isIdle(): boolean {
    return this.tokens + ((this.now() - this.at) * this.limits.perSecond) / 1000 >= this.limits.burst;
  }
}

const usual: PaceLimits = { burst: 2_500, perSecond: 250 };
const most = 1_000;

/** One pace for each organization. */
export class Paces {
  private readonly paces = new Map<string, Pace>();

  of(owner: string): Pace {
    const known = this.paces.get(owner);
    if (known) return known;
    // Those that are idle are what a new one would be.
    if (this.paces.size >= most)
      for (const [name, pace] of this.paces) if (pace.isIdle) this.paces.delete(name);
    const pace = new Pace(usual);
    this.paces.set(owner, pace);
    return pace;
  }
}
