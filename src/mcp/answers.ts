import { setImmediate as nextTurn } from 'node:timers/promises';
import { answerBounds, handshakeLimits } from './answer-bounds.ts';
import { EventStream } from './event-stream.ts';
import { HeldBytes } from './held-bytes.ts';
import { type Body, bytesInTurn, type Reading, tooLarge } from './reading.ts';

export interface AnswerLimits {
  /** Of one answer, or of one message of an event stream. */
  messageBytes: number;
  /** Of all answers being read at once. */
  totalBytes: number;
}

/** An answer from which on it counts as large. */
const heavyBytes = 256 * 1024;
/** Enough to quote from a page that reports an error. */
const errorPageBytes = 64 * 1024;

/** Reads what targets answer, within bounds of bytes and of JSON, in small steps. */
export class Answers {
  /** Answers that are being read, or have been read and are not gone yet. */
  readonly held: HeldBytes;
  private readonly messageBytes: number;
  private lastHeavy: Promise<void> = Promise.resolve();

  constructor({ messageBytes, totalBytes }: AnswerLimits) {
    this.messageBytes = messageBytes;
    this.held = new HeldBytes(totalBytes);
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
   * Waits in line with other large answers. Parsing one takes a good part of a tenth of a second; one a turn, so that
   * somebody else's request never waits for several.
   */
  private heavyTurn(): Promise<void> {
    this.lastHeavy = this.lastHeavy.then(() => nextTurn());
    return this.lastHeavy;
  }

  events(host: string, body: Body, reading: Reading): ReadableStream<Uint8Array> {
    const { bytes = this.messageBytes, limits = handshakeLimits } = reading;
    return new EventStream(body, this.held, { ...reading, host, bytes, limits }).readable();
  }
}

/** The beginning of a page that reports an error. */
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
