/** For so many milliseconds after a request began or ended, more are expected. */
const askedLately = 250;
/** While they are, work in the background has this share of the time; a pause is no longer than that. */
const share = 1 / 4;
const longestPause = 40;

interface CourtesyOptions {
  /** Milliseconds of a clock that cannot be set. */
  now: () => number;
}

/**
 * Lets work in the background through piece by piece, one in each turn of the event loop, so that twenty answers that
 * arrive together do not hold up a request for as long as all of them take. While somebody asks, each piece is followed
 * by a pause that is longer than itself.
 */
export class Courtesy {
  private readonly now: () => number;
  private readonly waiting: (() => void)[] = [];
  private askedAt = -Infinity;
  private notBefore = -Infinity;
  private scheduled = false;

  constructor({ now }: CourtesyOptions) {
    this.now = now;
  }

  /** A request began or ended. */
  asked(): void {
    this.askedAt = this.now();
  }

  /** Resolves when a piece of work may be done; what follows until the next wait is that piece. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.length === 0) return;
    this.scheduled = true;
    const pause = this.notBefore - this.now();
    if (pause > 0) setTimeout(() => this.next(), pause);
    else setImmediate(() => this.next());
  }

  private next(): void {
    const began = this.now();
    this.waiting.shift()?.();
    // The piece is done when the loop comes round again, with whatever else was to be done in between.
    setImmediate(() => {
      const ended = this.now();
      const pause = Math.min((ended - began) * (1 / share - 1), longestPause);
      this.notBefore = ended - this.askedAt < askedLately ? ended + pause : ended;
      this.scheduled = false;
      this.schedule();
    });
  }
}
