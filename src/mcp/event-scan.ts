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
  feed(bytes: Uint8Array, most: number): { events: number; used: number } {
    let events = 0;
    let start = 0;
    let at = 0;
    for (; at < bytes.length && events < most; at++) {
      const byte = bytes[at];
      // The second half of a line end that was noticed at its first.
      const isEnd = byte === carriageReturn || (byte === lineFeed && !this.afterReturn);
      if (isEnd && this.lineIsEmpty) {
        this.bounds.feed(bytes.subarray(start, at));
        this.bounds.reset();
        this.pending = 0;
        start = at + 1;
        events++;
      } else if (isEnd) this.lineIsEmpty = true;
      else if (byte !== lineFeed) this.lineIsEmpty = false;
      this.afterReturn = byte === carriageReturn;
    }
    this.bounds.feed(bytes.subarray(start, at));
    this.pending += at - start;
    return { events, used: at };
  }
}
