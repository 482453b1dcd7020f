import type { RawData, WebSocket } from 'ws';
import type { Credit } from './body.ts';
import {
  type Chunk,
  chunkBytes,
  chunkFrame,
  type Frame,
  maxMissed,
  pingEvery,
  readChunk,
  readFrame,
} from './wire.ts';

/** Bytes buffered in the socket before the sender pauses. */
const maxWaiting = 1024 * 1024;

/** Maximum frames per second from the peer. A text counts once more per kilobyte, because it has to be parsed. */
const maxInSecond = 20_000;

/** One side of the WebSocket of a tunnel: sends and receives frames, and detects a dead peer. */
export class FrameSocket {
  private readonly socket: WebSocket;
  private readonly pings: NodeJS.Timeout;
  private missed = 0;
  private waiting: (() => void)[] = [];
  private second = 0;
  private inSecond = 0;

  constructor(
    socket: WebSocket,
    handlers: {
      frame: (frame: Frame) => void;
      chunk: (chunk: Chunk) => void;
      protocolError: () => void;
      end: (code: number, reason: string) => void;
    },
  ) {
    this.socket = socket;
    socket.on('message', (data: RawData, binary: boolean) => {
      const bytes = data as Buffer;
      if (this.isFlood(binary ? 0 : bytes.length)) return socket.terminate();
      const said = binary ? readChunk(bytes) : readFrame(bytes.toString());
      if (said === undefined) handlers.protocolError();
      else if ('t' in said) handlers.frame(said);
      else handlers.chunk(said);
    });
    socket.on('pong', () => (this.missed = 0));
    socket.on('error', () => {});
    socket.on('close', (code, reason) => {
      clearInterval(this.pings);
      this.drained();
      handlers.end(code, reason.toString());
    });
    this.pings = setInterval(() => this.ping(), pingEvery);
  }

  private ping(): void {
    // A suspended machine or a broken network does not close the connection.
    if (this.missed >= maxMissed) return this.socket.terminate();
    this.missed += 1;
    this.socket.ping();
  }

  private isFlood(characters: number): boolean {
    const now = Math.floor(performance.now() / 1000);
    if (now !== this.second) this.inSecond = 0;
    this.second = now;
    this.inSecond += 1 + characters / 1024;
    return this.inSecond > maxInSecond;
  }

  get open(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  send(frame: Frame): void {
    if (this.open) this.socket.send(JSON.stringify(frame));
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
    // A peer that does not answer the close frame is gone.
    setTimeout(() => this.socket.terminate(), 2_000).unref();
  }

  /** Sends a body in frames, as fast as flow control and the socket allow. Returns false if it was aborted. */
  async sendBody(
    kind: number,
    id: number,
    body: AsyncIterable<Uint8Array>,
    {
      credit,
      wanted,
      sent,
    }: { credit?: Credit | undefined; wanted: () => boolean; sent?: (bytes: number) => void },
  ): Promise<boolean> {
    for await (const part of body) {
      sent?.(part.length);
      for (let from = 0; from < part.length; ) {
        const most = Math.min(chunkBytes, part.length - from);
        const size = credit ? await credit.take(most) : most;
        if (this.socket.bufferedAmount > maxWaiting) await this.socketDrained();
        if (!wanted() || !this.open || size === 0) return false;
        this.socket.send(chunkFrame(kind, id, part.subarray(from, from + size)), this.drained);
        from += size;
      }
    }
    return wanted() && this.open;
  }

  private socketDrained(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private readonly drained = (): void => {
    if (this.waiting.length === 0 || (this.open && this.socket.bufferedAmount > maxWaiting / 2)) return;
    const all = this.waiting;
    this.waiting = [];
    for (const go of all) go();
  };
}
