import type { JsonBounds } from './json-bounds.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Finds the events of a stream as its bytes arrive, and bounds the JSON of each. */
export class EventScan {
  /** Bytes of the event that has begun. */
  pending = 0;
  private readonly bounds: JsonBounds;
  private lineIsEmpty = true;
  private afterReturn = false;

  constructor(bounds: JsonBounds) {
    this.bounds = bounds;
  }

  /** Looks at bytes until so many events have ended in them: how many did, and how many bytes that took. */
  feed(bytes: Buffer, most: number): { events: number; used: number } {
    const { length } = bytes;
    let events = 0;
    let start = 0;
    let at = 0;
    // Where the next line ends; looked for only when it was passed.
    let feedAt = -2;
    let returnAt = -2;
    while (at < length && events < most) {
      const wasReturn = this.afterReturn;
      this.afterReturn = false;
      if (wasReturn && bytes[at] === lineFeed) {
        // The second half of a line end that was noticed at its first.
        at++;
        continue;
      }
      if (feedAt !== -1 && feedAt < at) feedAt = bytes.indexOf(lineFeed, at);
      if (returnAt !== -1 && returnAt < at) returnAt = bytes.indexOf(carriageReturn, at);
      const end = Math.min(feedAt === -1 ? length : feedAt, returnAt === -1 ? length : returnAt);
      const isEmpty = this.lineIsEmpty && end === at;
      this.lineIsEmpty = end < length;
      this.afterReturn = end === returnAt;
      at = Math.min(end + 1, length);
      if (!isEmpty || end === length) continue;
      this.bounds.feed(bytes.subarray(start, end));
      this.bounds.reset();
      this.pending = 0;
      start = at;
      events++;
    }
    this.bounds.feed(bytes.subarray(start, at));
    this.pending += at - start;
    return { events, used: at };
  }
}
