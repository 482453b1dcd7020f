import type { DiscoverResult } from '@modelcontextprotocol/client';
import { weightOf } from '../platform/json-bounds.ts';

/** What connecting once has taught us about a server: its era and its transport. */
export type EraVerdict =
  | { era: 'modern'; transport: 'stdio' | 'streamable-http'; discover: DiscoverResult }
  | { era: 'legacy'; transport: 'stdio' | 'streamable-http' | 'sse' };

/** A server that was legacy may have learned more since, and would never say so by itself. */
const horizon = 3_600_000;
const most = 10_000;
/** Of one of them. */
const mostWeight = 16 * 1024;

/** Verdicts by target, each with its date. */
export class Eras {
  private readonly verdicts = new Map<string, { verdict: EraVerdict; at: number }>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  get(key: string): EraVerdict | undefined {
    const known = this.verdicts.get(key);
    if (!known) return undefined;
    if (this.now() - known.at < horizon) return known.verdict;
    this.verdicts.delete(key);
    return undefined;
  }

  learn(key: string, verdict: EraVerdict): void {
    // What a server says of itself may be megabytes, like what a caller says in the key: it is asked again instead.
    if (key.length + weightOf(verdict) > mostWeight) return;
    if (!this.verdicts.has(key) && this.verdicts.size >= most)
      for (const oldest of this.verdicts.keys()) {
        this.verdicts.delete(oldest);
        break;
      }
    this.verdicts.set(key, { verdict, at: this.now() });
  }

  forget(key: string): void {
    this.verdicts.delete(key);
  }
}
