/** What became of rows in this process since it started. */
export interface LeaseCounts {
  claimed: number;
  finished: number;
  /** Tries that ended with an error; the row is tried again or given up. */
  failed: number;
  givenUp: number;
  /** Leases that ended before the work did. */
  lost: number;
  /** Given back unfinished at a stop. */
  released: number;
}

export interface LeaseFigures {
  kind: string;
  counts: LeaseCounts;
  /** Work under way in this process. */
  running: number;
}

/** What waits for any process. */
export interface Backlog {
  kind: string;
  /** Rows that are due and that nobody works on; counted up to 10,000. */
  due: number;
  /** Milliseconds the oldest of them has been due. */
  age: number;
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
