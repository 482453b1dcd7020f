import { windowBytes } from './wire.ts';

/** Bytes that several share. */
export class Room {
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

/** Chunks that wait and are smaller than this are put together, so that many of them weigh no more than their bytes. */
const small = 4 * 1024;
const gathered = 16 * 1024;

/**
 * A body that arrives in frames and is read by somebody else. What has arrived and was not read yet is bounded: by what
 * the sender was allowed, or by `most` where it knows no such thing.
 */
export class IncomingBody implements AsyncIterable<Buffer> {
  private readonly chunks: Buffer[] = [];
  /** The last of them, while small ones are put into it. */
  private gathering: Buffer | undefined;
  private waiting: (() => void) | undefined;
  private ended = false;
  private failure: Error | undefined;
  private held = 0;
  /** Read since the sender was last told. */
  private read = 0;
  private abandoned = false;
  private readonly most: number;
  private readonly rooms: readonly Room[];
  private readonly allow: ((bytes: number) => void) | undefined;
  private readonly onAbandoned: () => void;

  constructor(options: {
    most: number;
    /** That it shares with others. */
    rooms?: readonly Room[];
    /** Lets the sender go on, where it waits for that. */
    allow?: ((bytes: number) => void) | undefined;
    /** The reader stopped before the end. */
    onAbandoned: () => void;
  }) {
    this.most = options.most;
    this.rooms = options.rooms ?? [];
    this.allow = options.allow;
    this.onAbandoned = options.onAbandoned;
  }

  /** Whether there was room for it. */
  push(chunk: Buffer): boolean {
    if (this.ended || this.failure || this.abandoned) return true;
    if (this.held + chunk.length > this.most || !this.takeRoom(chunk.length)) return false;
    this.held += chunk.length;
    this.keep(chunk);
    this.wake();
    return true;
  }

  private keep(chunk: Buffer): void {
    if (chunk.length >= small || this.chunks.length === 0) {
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

  /** What has come is not all there is, so nobody needs it. */
  fail(error: Error): void {
    if (this.ended) return;
    this.failure ??= error;
    this.letGo();
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
      this.letGo();
      if (!this.ended && !this.failure) this.onAbandoned();
    }
  }

  private takeRoom(bytes: number): boolean {
    const full = this.rooms.findIndex((room) => !room.take(bytes));
    if (full < 0) return true;
    for (const room of this.rooms.slice(0, full)) room.giveBack(bytes);
    return false;
  }

  private letGo(): void {
    for (const room of this.rooms) room.giveBack(this.held);
    this.chunks.length = 0;
    this.gathering = undefined;
    this.held = 0;
  }

  private taken(bytes: number): void {
    // It was let go of meanwhile.
    if (this.held === 0) return;
    this.held -= bytes;
    for (const room of this.rooms) room.giveBack(bytes);
    this.read += bytes;
    // Not for each chunk: a quarter of the window keeps the sender going.
    if (!this.allow || this.read < windowBytes / 4) return;
    this.allow(this.read);
    this.read = 0;
  }

  private wake(): void {
    this.waiting?.();
    this.waiting = undefined;
  }
}

/** How much of a body may be sent yet. */
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

  /** Nobody waits any longer. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  /** When some may be sent: how much of `wanted`. Zero when nobody wants it any more. */
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
