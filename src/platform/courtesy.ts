/** For so many milliseconds after a request began or ended, more are expected. */
const askedLately = 250;
/** While they are, work in the background has this share of the time; a pause is no longer than that. */
const share = 1 / 8;
const longestPause = 80;

interface Asked {
  by: string;
  at: number;
}

interface CourtesyOptions {
  /** Milliseconds of a clock that cannot be set. */
  now: () => number;
}

/**
 * Lets work in the background through piece by piece, one in each turn of the event loop, so that twenty answers that
 * arrive together do not hold up a request for as long as all of them take. While another organization asks than the one
 * whose work it is, each piece is followed by a pause that is longer than itself; whoever waits for their own is not slowed.
 */
export class Courtesy {
  private readonly now: () => number;
  private readonly waiting: { of: string; begin: () => void }[] = [];
  /** Who asked last, and who else before. */
  private latest: Asked = { by: '', at: -Infinity };
  private another: Asked = { by: '', at: -Infinity };
  private notBefore = -Infinity;
  private scheduled = false;

  constructor({ now }: CourtesyOptions) {
    this.now = now;
  }

  /** A request of this organization began or ended. */
  asked(by: string): void {
    if (by !== this.latest.by) this.another = this.latest;
    this.latest = { by, at: this.now() };
  }

  /** Resolves when a piece of this organization's work may be done; what follows until the next wait is that piece. */
  turn(of: string): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ of, begin: resolve });
      this.schedule();
    });
  }

  private askedByOthers(than: string): number {
    return (this.latest.by === than ? this.another : this.latest).at;
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
    const piece = this.waiting.shift();
    piece?.begin();
    // The piece is done when the loop comes round again, with whatever else was to be done in between.
    setImmediate(() => {
      const ended = this.now();
      const pause = Math.min((ended - began) * (1 / share - 1), longestPause);
      this.notBefore = ended - this.askedByOthers(piece?.of ?? '') < askedLately ? ended + pause : ended;
      this.scheduled = false;
      this.schedule();
    });
  }
}
