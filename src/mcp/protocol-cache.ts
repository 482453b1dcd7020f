import type { DiscoverResult } from '@modelcontextprotocol/client';
import { weightOf } from '../platform/json/bounds.ts';

/** The protocol era and transport of a server, detected when connecting to it. */
export type DetectedProtocol =
  | { era: 'modern'; transport: 'stdio' | 'streamable-http'; discover: DiscoverResult }
  | { era: 'legacy'; transport: 'stdio' | 'streamable-http' | 'sse' };

/**
 * Milliseconds after which an entry expires. An upgraded server still accepts the legacy handshake and so looks
 * unchanged.
 */
const maxAge = 3_600_000;
const maxEntries = 10_000;
/** Approximate maximum bytes of one entry. */
const maxEntryBytes = 16 * 1024;

/** Remembers the detected protocol of each target for an hour. */
export class ProtocolCache {
  private readonly entries = new Map<string, { detected: DetectedProtocol; at: number }>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  get(key: string): DetectedProtocol | undefined {
    const known = this.entries.get(key);
    if (!known) return undefined;
    if (this.now() - known.at < maxAge) return known.detected;
    this.entries.delete(key);
    return undefined;
  }

  learn(key: string, detected: DetectedProtocol): void {
    // Server info and keys may have megabytes. Large entries are not cached but probed again.
    if (key.length + weightOf(detected) > maxEntryBytes) return;
    if (!this.entries.has(key) && this.entries.size >= maxEntries)
      for (const oldest of this.entries.keys()) {
        this.entries.delete(oldest);
        break;
      }
    this.entries.set(key, { detected, at: this.now() });
  }

  forget(key: string): void {
    this.entries.delete(key);
  }
}
