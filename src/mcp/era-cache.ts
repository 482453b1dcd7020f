import type { DiscoverResult } from '@modelcontextprotocol/client';
import { weightOf } from '../platform/json/bounds.ts';

/** The era and transport of a server, learned from connecting to it. */
export type EraVerdict =
  | { era: 'modern'; transport: 'stdio' | 'streamable-http'; discover: DiscoverResult }
  | { era: 'legacy'; transport: 'stdio' | 'streamable-http' | 'sse' };

/**
 * Milliseconds after which an entry expires. An upgraded server still accepts the legacy handshake and so looks
 * unchanged.
 */
const maxAge = 3_600_000;
const maxEntries = 10_000;
/** Approximate maximum bytes of one entry. */
const maxWeight = 16 * 1024;

/** Remembers the era of each target for an hour. */
export class EraCache {
  private readonly verdicts = new Map<string, { verdict: EraVerdict; at: number }>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  get(key: string): EraVerdict | undefined {
    const known = this.verdicts.get(key);
    if (!known) return undefined;
    if (this.now() - known.at < maxAge) return known.verdict;
    this.verdicts.delete(key);
    return undefined;
  }

  learn(key: string, verdict: EraVerdict): void {
    // Server info and keys may have megabytes. Large entries are not cached but probed again.
    if (key.length + weightOf(verdict) > maxWeight) return;
    if (!this.verdicts.has(key) && this.verdicts.size >= maxEntries)
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
