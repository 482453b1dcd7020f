/** Milliseconds after a request's start or end in which more requests are expected. */
const requestWindow = 250;
/** The fraction of the time that background work gets in that window, and its longest pause in milliseconds. */
const backgroundShare = 1 / 8;
const maxPause = 80;

interface RequestSeen {
  organizationId: string;
  at: number;
}

/**
 * Admits background work in small pieces, one per turn of the event loop, so that many results arriving together do not
 * block requests. While other organizations than the one the work belongs to send requests, a pause of several times
 * its duration follows each piece; an organization's own requests do not slow down its own work.
 */
export class BackgroundThrottle {
  private readonly now: () => number;
  private readonly waiting: { organizationId: string; begin: () => void }[] = [];
  /** The last request, and the last one of a different organization. */
  private latest: RequestSeen = { organizationId: '', at: -Infinity };
  private other: RequestSeen = { organizationId: '', at: -Infinity };
  private pausedUntil = -Infinity;
  private scheduled = false;

  /** `now` is a monotonic clock in milliseconds. */
  constructor({ now }: { now: () => number }) {
    this.now = now;
  }

  /** Records that a request of the organization began or ended. */
  noteRequest(organizationId: string): void {
    if (organizationId !== this.latest.organizationId) this.other = this.latest;
    this.latest = { organizationId, at: this.now() };
  }

  /** Resolves when the next piece of work may start. The piece lasts until the caller next yields to the event loop. */
  admit(organizationId: string): Promise<void> {
    return new Promise((begin) => {
      this.waiting.push({ organizationId, begin });
      this.schedule();
    });
  }

  private lastRequestOfOthers(organizationId: string): number {
    return (this.latest.organizationId === organizationId ? this.other : this.latest).at;
  }

  private schedule(): void {
    if (this.scheduled || this.waiting.length === 0) return;
    this.scheduled = true;
    const pause = this.pausedUntil - this.now();
    if (pause > 0) setTimeout(() => this.startNext(), pause);
    else setImmediate(() => this.startNext());
  }

  private startNext(): void {
    const startedAt = this.now();
    const piece = this.waiting.shift();
    piece?.begin();
    // The next turn of the event loop marks the end of the piece.
    setImmediate(() => {
      const endedAt = this.now();
      const pause = Math.min((endedAt - startedAt) * (1 / backgroundShare - 1), maxPause);
      const isContended = endedAt - this.lastRequestOfOthers(piece?.organizationId ?? '') < requestWindow;
      this.pausedUntil = isContended ? endedAt + pause : endedAt;
      this.scheduled = false;
      this.schedule();
    });
  }
}
