export type { Backlog } from '../database/queries/leases.ts';

/** Outcomes of rows in this process since its start. */
export interface LeaseCounts {
  claimed: number;
  finished: number;
  /** Attempts that ended with an error and are retried or given up. */
  failed: number;
  givenUp: number;
  /** Leases that ended before the work did. */
  lost: number;
  /** Released unfinished at shutdown. */
  released: number;
}

export interface LeaseFigures {
  kind: string;
  counts: LeaseCounts;
  /** Rows being worked on in this process. */
  running: number;
}

export class LeaseCounters {
  private readonly byKind = new Map<string, LeaseCounts>();

  constructor(kinds: Iterable<string>) {
    for (const kind of kinds)
      this.byKind.set(kind, { claimed: 0, finished: 0, failed: 0, givenUp: 0, lost: 0, released: 0 });
  }

  add(kind: string, event: keyof LeaseCounts): void {
    const counts = this.byKind.get(kind);
    if (counts) counts[event]++;
  }

  of(kind: string): LeaseCounts {
    return this.byKind.get(kind) as LeaseCounts;
  }
}
