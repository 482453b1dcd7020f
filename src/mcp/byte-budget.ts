import { McpFailure } from './failures.ts';

const mebibyte = 1024 * 1024;

/** Limits the total bytes of answers that are being read or are still in use, and so the memory they need. */
export class ByteBudget {
  private readonly limit: number;
  private held = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Throws if the budget is exceeded. */
  take(bytes: number): void {
    if (this.held + bytes > this.limit)
      throw new McpFailure(
        'busy',
        `The answers of MCP servers being processed exceed ${Math.floor(this.limit / mebibyte)} MiB. Try again later`,
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
