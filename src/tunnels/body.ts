import { windowBytes } from './wire.ts';

/** A shared limit on bytes. */
export class ByteAllowance {
  private left: number;

  constructor(bytes: number) {
    this.left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.left += bytes;
  }
}

/** Bytes below which buffered chunks are merged, so that many of them need no more memory than their bytes. */
const smallChunk = 4 * 1024;
const gathered = 16 * 1024;

/**
 * A body that arrives in frames. The bytes received but not yet read are limited: by flow control, or by `most` without
 * it.
 */
export class IncomingBody implements AsyncIterable<Buffer> {
  private readonly chunks: Buffer[] = [];
  /** The last chunk, while small ones are appended to it. */
  private gathering: Buffer | undefined;
  private waiting: (() => void) | undefined;
  private ended = false;
  private failure: Error | undefined;
  private held = 0;
  /** Bytes read since the last acknowledgement. */
  private read = 0;
  private abandoned = false;
  private readonly most: number;
  private readonly allowances: readonly ByteAllowance[];
  private readonly allow: ((bytes: number) => void) | undefined;
  private readonly onAbandoned: () => void;

  constructor(options: {
    most: number;
    /** Limits shared with other bodies. */
    allowances?: readonly ByteAllowance[];
    /** Permits the sender to send more. */
    allow?: ((bytes: number) => void) | undefined;
    /** The reader stopped before the end. */
    onAbandoned: () => void;
  }) {
    this.most = options.most;
    this.allowances = options.allowances ?? [];
    this.allow = options.allow;
    this.onAbandoned = options.onAbandoned;
  }

  /** Returns false if the limit is exceeded. */
  push(chunk: Buffer): boolean {
    if (this.ended || this.failure || this.abandoned) return true;
    if (this.held + chunk.length > this.most || !this.takeAllowances(chunk.length)) return false;
    this.held += chunk.length;
    this.keep(chunk);
    this.wake();
    return true;
  }

  private keep(chunk: Buffer): void {
    if (chunk.length >= smallChunk || this.chunks.length === 0) {
      this.gathering = undefined;
      if (chunk.length > 0) this.chunks.push(chunk);
      return;
    }
    let before = this.gathering;
    if (!before || before.length + chunk.length > gathered) {
      before = Buffer.from(new ArrayBuffer(gathered), 0, 0);
      this.chunks.push(before);
    }
    this.gathering = Buffer.from(before.buffer, 0, before.length + chunk.length);
    this.gathering.set(chunk, before.length);
    this.chunks[this.chunks.length - 1] = this.gathering;
  }

  end(): void {
    this.ended = true;
    this.wake();
  }

  /** A partial body is useless, so its chunks are dropped. */
  fail(error: Error): void {
    if (this.ended) return;
    this.failure ??= error;
    this.discard();
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.chunks.shift();
        if (chunk === this.gathering) this.gathering = undefined;
        if (chunk) {
          yield chunk;
          this.taken(chunk.length);
        } else if (this.failure) throw this.failure;
        else if (this.ended) return;
        else await new Promise<void>((resolve) => (this.waiting = resolve));
      }
    } finally {
      this.abandoned = true;
      this.discard();
      if (!this.ended && !this.failure) this.onAbandoned();
    }
  }

  private takeAllowances(bytes: number): boolean {
    const full = this.allowances.findIndex((allowance) => !allowance.take(bytes));
    if (full < 0) return true;
    for (const allowance of this.allowances.slice(0, full)) allowance.giveBack(bytes);
    return false;
  }

  private discard(): void {
    for (const allowance of this.allowances) allowance.giveBack(this.held);
    this.chunks.length = 0;
    this.gathering = undefined;
    this.held = 0;
  }

  private taken(bytes: number): void {
    // The chunks were dropped meanwhile.
    if (this.held === 0) return;
    this.held -= bytes;
    for (const allowance of this.allowances) allowance.giveBack(bytes);
    this.read += bytes;
    // Acknowledges a quarter of the window at a time, not each chunk.
    if (!this.allow || this.read < windowBytes / 4) return;
    this.allow(this.read);
    this.read = 0;
  }

  private wake(): void {
    this.waiting?.();
    this.waiting = undefined;
  }
}

/** The number of bytes of a body that may still be sent. */
export class Credit {
  private left: number;
  private waiting: (() => void) | undefined;
  private closed = false;

  constructor(left: number) {
    this.left = left;
  }

  add(bytes: number): void {
    this.left += bytes;
    this.wake();
  }

  /** Ends the wait of `take`. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  /** Waits until bytes may be sent. Returns how many of `wanted`, or zero after `close`. */
  async take(wanted: number): Promise<number> {
    while (this.left <= 0 && !this.closed) await new Promise<void>((resolve) => (this.waiting = resolve));
    if (this.closed) return 0;
    const granted = Math.min(this.left, wanted);
    this.left -= granted;
    return granted;
  }

  private wake(): void {
    this.waiting?.();
    this.waiting = undefined;
  }
}
