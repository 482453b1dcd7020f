import { McpFailure } from './failures.ts';

const mebibyte = 1024 * 1024;

/** Bytes of answers that are being read or have not left yet. Together they are bounded, so that memory is. */
export class HeldBytes {
  private readonly most: number;
  private held = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** Throws when there is no room. */
  take(bytes: number): void {
    if (this.held + bytes > this.most)
      throw new McpFailure(
        'busy',
        `The answers of MCP servers in hand at once are larger than ${Math.floor(this.most / mebibyte)} MiB. Try again later`,
        { retryAfter: 1 },
      );
    this.held += bytes;
  }

  giveBack(bytes: number): void {
    this.held -= bytes;
  }

  get now(): number {
    return this.held;
  }
}
