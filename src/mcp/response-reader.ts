import { setImmediate as nextTurn } from 'node:timers/promises';
import { Semaphore } from '../platform/flow/semaphore.ts';
import { answerBounds, handshakeLimits } from './answer-bounds.ts';
import { ByteBudget } from './byte-budget.ts';
import { EventStream } from './event-stream.ts';
import { type Body, bytesInTurn, type Reading, tooLarge } from './reading.ts';

export interface AnswerLimits {
  /** Maximum bytes of one response, or of one message of an event stream. */
  messageBytes: number;
  /** Maximum bytes of all responses being read at once. */
  totalBytes: number;
}

/** Size from which a response counts as large. */
const heavyBytes = 256 * 1024;
/** Maximum bytes read of an error page; enough to quote from it. */
const errorPageBytes = 64 * 1024;

/** Reads responses of targets within limits of bytes and JSON, in small steps. */
export class ResponseReader {
  /** The bytes of responses that are being read or still in use. */
  readonly held: ByteBudget;
  private readonly messageBytes: number;
  private readonly heavy = new Semaphore(1);

  constructor({ messageBytes, totalBytes }: AnswerLimits) {
    this.messageBytes = messageBytes;
    this.held = new ByteBudget(totalBytes);
  }

  async whole(
    host: string,
    body: Body,
    { bytes = this.messageBytes, limits = handshakeLimits, read }: Reading,
  ): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const bounds = answerBounds(limits, host);
    let size = 0;
    let readInTurn = 0;
    try {
      for await (const chunk of body) {
        this.held.take(chunk.length);
        size += chunk.length;
        if (size > bytes) throw tooLarge(host, bytes);
        read?.(chunk.length);
        bounds.feed(chunk);
        chunks.push(chunk);
        if (size - readInTurn > bytesInTurn) {
          readInTurn = size;
          await nextTurn();
        }
      }
      if (size > heavyBytes) await this.heavyTurn();
      return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    } finally {
      this.held.giveBack(size);
      body.destroy();
    }
  }

  /**
   * Parses large responses one per turn of the event loop, so that other requests never wait for several. Each takes a
   * good part of a tenth of a second.
   */
  private heavyTurn(): Promise<void> {
    return this.heavy.run(() => nextTurn());
  }

  events(host: string, body: Body, reading: Reading): ReadableStream<Uint8Array> {
    const { bytes = this.messageBytes, limits = handshakeLimits } = reading;
    return new EventStream(body, this.held, { ...reading, host, bytes, limits }).readable();
  }
}

/** Reads the start of an error page. */
export async function beginningOf(body: Body): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= errorPageBytes) break;
  }
  body.destroy();
  return Buffer.concat(chunks).subarray(0, errorPageBytes);
}
