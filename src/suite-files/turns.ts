import { Refusal } from '../contract/errors.ts';

const mostWaiting = 50;
/** Of one owner: whoever sends many keeps the others waiting for these at most. */
const mostOfOne = 4;

/** Does one thing at a time, in the order in which they are asked for; what waits is held in memory. */
export class Turns {
  private readonly waiting = new Map<string, number>();
  private all = 0;
  private last: Promise<unknown> = Promise.resolve();

  async take<T>(owner: string, begin: () => Promise<T>): Promise<T> {
    const own = this.waiting.get(owner) ?? 0;
    if (this.all >= mostWaiting || own >= mostOfOne)
      throw new Refusal('RATE_LIMITED', 'Many suite files are waiting to be read', { retryAfter: 5 });
    this.count(owner, 1);
    const next = this.last.then(begin);
    this.last = next.catch(() => {});
    return next.finally(() => this.count(owner, -1));
  }

  private count(owner: string, by: number): void {
    const now = (this.waiting.get(owner) ?? 0) + by;
    if (now === 0) this.waiting.delete(owner);
    else this.waiting.set(owner, now);
    this.all += by;
  }
}
