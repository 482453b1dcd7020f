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

const small = 64 * 1024;

/** About how much memory a parsed value takes; nothing for what is too small to count. It is not deep: see `JsonBounds`. */
export function weightOf(value: unknown): number {
  const weight = weigh(value);
  return weight < small ? 0 : weight;
}

function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const values: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let weight = 32 + 16 * values.length;
  for (const one of values) weight += weigh(one);
  return weight;
}
