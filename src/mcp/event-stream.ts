import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { answerBounds } from './answer-bounds.ts';
import type { ByteBudget } from './byte-budget.ts';
import { EventScan } from './event-scan.ts';
import { McpFailure } from './failures.ts';
import { type Body, bytesInTurn, type Reading, tooLarge } from './reading.ts';

/** Events passed on before yielding: each costs the SDK a fifth of a millisecond. */
const eventsAtOnce = 20;

type StreamReading = Reading & Required<Pick<Reading, 'bytes' | 'limits'>> & { host: string };

/**
 * Reads an event stream and passes on whole events. The stream may be endless, so limits apply to the size of a message
 * and to the rate.
 */
export class EventStream {
  private readonly body: Body;
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly held: ByteBudget;
  private readonly reading: StreamReading;
  private readonly scan: EventScan;
  /** Bytes that were received but not scanned. */
  private rest: Buffer = Buffer.alloc(0);
  /** The start of an unfinished event, kept back because the parser would scan it again with each chunk. */
  private begun: Buffer[] = [];
  private begunBytes = 0;
  private readInTurn = 0;
  private readonly over = new AbortController();

  constructor(body: Body, held: ByteBudget, reading: StreamReading) {
    this.body = body;
    this.chunks = body[Symbol.asyncIterator]();
    this.held = held;
    this.reading = reading;
    this.scan = new EventScan(answerBounds(reading.limits, reading.host));
  }

  readable(): ReadableStream<Uint8Array> {
    const { pace, broke, opened } = this.reading;
    return new ReadableStream<Uint8Array>({
      start: (stream) =>
        opened?.(() => {
          if (this.ended) return;
          this.end();
          stream.close();
        }),
      pull: async (stream) => {
        try {
          const next = await this.next();
          if (this.ended) return;
          if (!next) {
            this.end();
            return stream.close();
          }
          stream.enqueue(next.events);
          const wait = pace?.take(next.count, next.events.length) ?? 0;
          if (wait > 0) await delay(wait, undefined, { signal: this.over.signal });
        } catch (error) {
          if (this.ended) return;
          this.end();
          if (error instanceof McpFailure) broke?.(error);
          throw error;
        }
      },
      cancel: () => this.end(),
    });
  }

  private get ended(): boolean {
    return this.over.signal.aborted;
  }

  private end(): void {
    this.over.abort();
    this.takeBegun();
    this.body.destroy();
  }

  /** Whole events, or the unfinished last one at the end of the stream. */
  private async next(): Promise<{ events: Buffer; count: number } | undefined> {
    for (;;) {
      if (this.rest.length > 0) await nextTurn();
      else if (!(await this.receive()))
        return this.begun.length > 0 ? { events: Buffer.concat(this.takeBegun()), count: 1 } : undefined;
      const whole = this.eventsInRest();
      if (whole) return whole;
    }
  }

  /** Receives the next chunk. Returns false at the end of the stream. */
  private async receive(): Promise<boolean> {
    const { value, done } = await this.chunks.next();
    if (done) return false;
    this.reading.read?.(value.length);
    this.rest = value;
    this.readInTurn += value.length;
    if (this.readInTurn > bytesInTurn) {
      this.readInTurn = 0;
      await nextTurn();
    }
    return true;
  }

  private eventsInRest(): { events: Buffer; count: number } | undefined {
    const { host, bytes } = this.reading;
    const { events: count, used } = this.scan.feed(this.rest, eventsAtOnce);
    if (this.scan.pending > bytes) throw tooLarge(host, bytes);
    const ends = used - Math.min(this.scan.pending, used);
    const whole = this.rest.subarray(0, ends);
    const begins = this.rest.subarray(ends, used);
    this.rest = this.rest.subarray(used);
    const events = count > 0 ? Buffer.concat([...this.takeBegun(), whole]) : undefined;
    if (begins.length > 0) this.keep(begins);
    return events && { events, count };
  }

  private keep(piece: Buffer): void {
    // After the end, held bytes would never be released.
    if (this.ended) return;
    this.held.take(piece.length);
    this.begunBytes += piece.length;
    this.begun.push(piece);
  }

  private takeBegun(): Buffer[] {
    const pieces = this.begun;
    this.begun = [];
    this.held.giveBack(this.begunBytes);
    this.begunBytes = 0;
    return pieces;
  }
}
