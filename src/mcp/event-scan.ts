import type { JsonBounds } from '../platform/json/bounds.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The start of a line with part of a message, as bytes. */
const beginnings = ['data:'];
/** The first line may start with a byte order mark, or with one that was encoded twice. */
const firstBeginnings = ['', '\ufeff', '\u00ef\u00bb\u00bf', '\ufeff\u00ef\u00bb\u00bf'].map((mark) =>
  Buffer.from(`${mark}data:`).toString('latin1'),
);

/**
 * Finds the events of a stream as its bytes arrive, and limits the JSON of each. Only data lines count: brackets in a
 * comment would change the counted depth, but not the parsed one.
 */
export class EventScan {
  /** Bytes of the current event. */
  pending = 0;
  private readonly bounds: JsonBounds;
  private lineIsEmpty = true;
  private afterReturn = false;
  /** Whether the line contains data; undefined while it is too short to tell. */
  private holdsData: boolean | undefined;
  /** The start of the line, buffered until `holdsData` is known. */
  private beginning = '';
  private possible = firstBeginnings;

  constructor(bounds: JsonBounds) {
    this.bounds = bounds;
  }

  /** Scans until `most` events have ended. Returns the number of events and of bytes scanned. */
  feed(bytes: Buffer, most: number): { events: number; used: number } {
    const { length } = bytes;
    let events = 0;
    let start = 0;
    let at = 0;
    // The next line ends, searched again only when passed.
    let feedAt = -2;
    let returnAt = -2;
    while (at < length && events < most) {
      const wasReturn = this.afterReturn;
      this.afterReturn = false;
      if (wasReturn && bytes[at] === lineFeed) {
        // The second byte of a line end that was handled at the first.
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
      // Includes the line end, which also ends an unclosed string.
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

  /** The index at which the data of the line starts in this chunk. */
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
