import type { Db } from '../database/database.ts';
import type { LeasedRow, LeaseQueries } from '../database/queries/leases.ts';
import { type Log, redact } from '../log.ts';

export interface Held<Row> {
  readonly row: Row;
  readonly abort: AbortController;
  /** On the monotonic clock. Never later than the end the database knows. */
  endsAt: number;
  /** The result is being written; the database decides from here on. */
  settling: boolean;
  /** Nobody here may write about the row any more. */
  lost: boolean;
  done: Promise<void>;
}

interface HeldOptions<Row extends LeasedRow> {
  db: Db;
  queries: LeaseQueries<Row>;
  /** Milliseconds. */
  lease: number;
  log: Log;
  /** `overdue`: it could not be extended in time. Otherwise the row was cancelled, removed, or somebody else's by then. */
  onLost: (row: Row, overdue: boolean) => void;
}

/**
 * The leases of this process. All are extended together; what cannot be extended is given up a margin before its end,
 * while nobody else can have it yet. Ends are counted from before the database was asked, so a slow answer makes them
 * too early and never too late.
 */
export class HeldLeases<Row extends LeasedRow> {
  private readonly options: HeldOptions<Row>;
  private readonly all = new Map<string, Held<Row>>();
  private heartbeat: NodeJS.Timeout | undefined;
  private watch: NodeJS.Timeout | undefined;

  constructor(options: HeldOptions<Row>) {
    this.options = options;
  }

  /** Rows whose work has not ended, including those that were lost. */
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

  /** Whether a claim that was sent at `sentAt` leaves time to work. */
  fresh(sentAt: number): boolean {
    return performance.now() < sentAt + this.options.lease - this.margin;
  }

  /** Holds the row until the work has ended. */
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

  /** One statement for all. Those it does not return belong to somebody else, or to nobody. */
  async extend(): Promise<void> {
    const { db, queries, lease, log } = this.options;
    // Before anything is sent: after a standstill the database could grant what we have no right to any more.
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
        // What is being settled may be over by now; the settling knows.
        else if (extended === undefined && !held.settling) this.lose(held);
      }
      this.watchEnds();
    } catch (error) {
      log.warn('Leases were not extended', { error: redact((error as Error).message) });
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
