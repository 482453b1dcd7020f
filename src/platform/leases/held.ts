import type { Db } from '../database/database.ts';
import type { LeasedRow, LeaseQueries } from '../database/queries/leases.ts';
import { type Log, redact } from '../log.ts';

export interface Held<Row> {
  readonly row: Row;
  readonly abort: AbortController;
  /** In monotonic time. Never later than the end in the database. */
  endsAt: number;
  /** The result is being written; from now on the database decides. */
  settling: boolean;
  /** This process may no longer write the row. */
  lost: boolean;
  done: Promise<void>;
}

interface HeldOptions<Row extends LeasedRow> {
  db: Db;
  queries: LeaseQueries<Row>;
  /** Milliseconds. */
  lease: number;
  log: Log;
  /** `overdue`: the lease could not be extended in time. Otherwise the row was cancelled, removed or reassigned. */
  onLost: (row: Row, overdue: boolean) => void;
}

/**
 * The leases of this process, extended together. A lease that cannot be extended is dropped some time before its end,
 * while no other process can have the row yet. The lease is counted from before the request, so a slow answer only
 * shortens it.
 */
export class HeldLeases<Row extends LeasedRow> {
  private readonly options: HeldOptions<Row>;
  private readonly all = new Map<string, Held<Row>>();
  private heartbeat: NodeJS.Timeout | undefined;
  private watch: NodeJS.Timeout | undefined;

  constructor(options: HeldOptions<Row>) {
    this.options = options;
  }

  /** Rows whose work has not ended, including lost ones. */
  list(): Held<Row>[] {
    return [...this.all.values()];
  }

  start(): void {
    this.heartbeat = setInterval(() => void this.extend(), this.options.lease / 3);
  }

  stop(): void {
    clearInterval(this.heartbeat);
    clearTimeout(this.watch);
  }

  /** Whether a claim requested at `sentAt` leaves time to work. */
  fresh(sentAt: number): boolean {
    return performance.now() < sentAt + this.options.lease - this.margin;
  }

  /** Holds the lease until the work has ended. */
  hold(row: Row, sentAt: number, work: (held: Held<Row>) => Promise<void>): Promise<void> {
    const held: Held<Row> = {
      row,
      abort: new AbortController(),
      endsAt: sentAt + this.options.lease,
      settling: false,
      lost: false,
      done: Promise.resolve(),
    };
    this.all.set(row.id, held);
    held.done = work(held).finally(() => this.all.delete(row.id));
    this.watchEnds();
    return held.done;
  }

  /** Extends all leases with one statement. Rows that it does not return are lost. */
  async extend(): Promise<void> {
    const { db, queries, lease, log } = this.options;
    // Checked before the request: after a standstill, the database could extend leases that this process must consider
    // lost.
    this.loseOverdue();
    const mine = this.list().filter(({ lost }) => !lost);
    if (mine.length === 0) return;
    const sentAt = performance.now();
    try {
      const names = mine.map(({ row }) => ({ id: row.id, leaseToken: row.leaseToken }));
      const found = new Map((await queries.extend(db, names, lease)).map((each) => [each.id, each.extended]));
      for (const held of mine) {
        const extended = found.get(held.row.id);
        if (extended) held.endsAt = Math.max(held.endsAt, sentAt + lease);
        // A row that is being settled may have ended; settling finds out.
        else if (extended === undefined && !held.settling) this.lose(held);
      }
      this.watchEnds();
    } catch (error) {
      log.warn('Leases could not be extended', { error: redact((error as Error).message) });
    }
  }

  private get margin(): number {
    return this.options.lease / 6;
  }

  private watchEnds(): void {
    clearTimeout(this.watch);
    const ends = this.list()
      .filter(({ lost, settling }) => !lost && !settling)
      .map(({ endsAt }) => endsAt);
    if (ends.length === 0) return;
    const wait = Math.min(...ends) - this.margin - performance.now();
    this.watch = setTimeout(
      () => {
        this.loseOverdue();
        this.watchEnds();
      },
      Math.max(wait, 0),
    );
  }

  private loseOverdue(): void {
    const now = performance.now();
    for (const held of this.list())
      if (!held.settling && held.endsAt - this.margin <= now) this.lose(held, true);
  }

  lose(held: Held<Row>, overdue = false): void {
    if (held.lost || !this.all.has(held.row.id)) return;
    held.lost = true;
    held.abort.abort(new Error('the lease was lost'));
    this.options.onLost(held.row, overdue);
  }
}
