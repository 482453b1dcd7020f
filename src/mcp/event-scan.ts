import type { JsonBounds } from '../platform/json-bounds.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** What a line with a part of a message begins with, as bytes. */
const beginnings = ['data:'];
/** Before the first line there may be a byte order mark, and what is left of one when it was encoded twice. */
const firstBeginnings = ['', '\ufeff', '\u00ef\u00bb\u00bf', '\ufeff\u00ef\u00bb\u00bf'].map((mark) =>
  Buffer.from(`${mark}data:`).toString('latin1'),
);

/**
 * Finds the events of a stream as its bytes arrive, and bounds the JSON of each. Only lines of data count: a bracket in
 * a comment would change the depth that is counted here, and not the one that is parsed.
 */
export class EventScan {
  /** Bytes of the event that has begun. */
  pending = 0;
  private readonly bounds: JsonBounds;
  private lineIsEmpty = true;
  private afterReturn = false;
  /** Whether the line holds data; undefined while it is too short to tell. */
  private holdsData: boolean | undefined;
  /** How the line begins, until that tells. */
  private beginning = '';
  private possible = firstBeginnings;

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
      const dataAt = this.dataIn(bytes, at, end);
      at = Math.min(end + 1, length);
      // With its end, which also ends a text of JSON.
      if (this.holdsData) this.bounds.feed(bytes.subarray(dataAt, at));
      if (end === length) break;
      this.holdsData = undefined;
      this.beginning = '';
      this.possible = beginnings;
      if (!isEmpty) continue;
      this.bounds.reset();
      this.pending = 0;
      start = at;
      events++;
    }
    this.pending += at - start;
    return { events, used: at };
  }

  /** Where the data of a line begins in this part of it. */
  private dataIn(bytes: Buffer, from: number, end: number): number {
    let at = from;
    while (this.holdsData === undefined && at < end) {
      this.beginning += String.fromCharCode(bytes[at++] as number);
      if (this.possible.includes(this.beginning)) this.holdsData = true;
      else if (!this.possible.some((text) => text.startsWith(this.beginning))) this.holdsData = false;
    }
    return at;
  }
}
