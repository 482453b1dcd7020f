import { randomUUID } from 'node:crypto';
import type { Db } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import type { LeasedRow, LeaseEnd, LeaseQueries } from '../database/queries/leases.ts';
import type { BackgroundThrottle } from '../flow/background-throttle.ts';
import { withTimeout } from '../flow/deadline.ts';
import { type Log, redact } from '../log.ts';
import { type Attributes, inSpan, isTracing, nameOfError, type Span } from '../telemetry/tracing.ts';
import { type Backlog, LeaseCounters, type LeaseFigures } from './figures.ts';
import { type Held, HeldLeases } from './held.ts';

/** Writes an outcome in the transaction that also ends the lease. */
export type Commit = (db: Db) => Promise<void>;

/** The state in which a lease ends. */
export type FinalState = Exclude<LeaseEnd, { state: 'waiting' }>;

export interface LeaseKind<Row, Outcome> {
  kind: string;
  /** Maximum number of attempts. Counted when the row is claimed, so a crash counts. */
  attempts: number;
  /** Maximum per process. */
  concurrency: number;
  /** Not traced, because it recurs every few seconds. */
  untraced?: boolean;
  /** Further attributes of the span, and the trace that caused the row. */
  attributesOf?: (row: Row) => Attributes;
  causeOf?: (row: Row) => string | undefined;
  /** May run more than once after a crash. The outcome is written exactly once. */
  work: (row: Row, signal: AbortSignal) => Promise<Outcome>;
  /** Returns the outcome to write when all attempts have failed. */
  givenUp?: ((row: Row, error: string) => Outcome | Promise<Outcome>) | undefined;
  /** Ends the lease and writes the outcome in one transaction. Returns false if the lease was lost. */
  settle: (row: Row, end: FinalState, outcome: Outcome | undefined) => Promise<boolean>;
}

interface HolderOptions<Row extends LeasedRow, Outcome> {
  db: Db;
  queries: LeaseQueries<Row>;
  notifications: Notifications;
  kinds: readonly LeaseKind<Row, Outcome>[];
  /** Maximum number of rows in this process, over all kinds. */
  concurrency: number;
  /** Rows are claimed once this many slots are free. Default: 1. */
  atOnce?: number;
  /** Milliseconds after which rows of a silent process are reassigned. */
  lease: number;
  /** Slows down work while requests come in. */
  backgroundThrottle?: BackgroundThrottle | undefined;
  log: Log;
}

/** Milliseconds after which rows are claimed even without a notification, in case one was missed. */
const maxNap = 30_000;
/** Milliseconds for aborted work to end. */
const grace = 1_000;
const maxRemembered = 256;

/** Another process has the row, or it has ended: nothing may be written. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease was lost');
  }
}

/** Claims due rows of a table, extends their leases while they are worked on, and ends each lease with its outcome. */
export class LeaseHolder<Row extends LeasedRow, Outcome> {
  private readonly options: HolderOptions<Row, Outcome>;
  private readonly kinds: ReadonlyMap<string, LeaseKind<Row, Outcome>>;
  private readonly counters: LeaseCounters;
  private readonly held: HeldLeases<Row>;
  /** Organizations in the order in which they were last served here. */
  private readonly served = new Set<string>();
  private subscriptions: (() => void)[] = [];
  /** Number of notifications about lost leases. */
  private losses = 0;
  private stopping = false;
  private wake: () => void = () => {};
  private loop: Promise<void> = Promise.resolve();

  constructor(options: HolderOptions<Row, Outcome>) {
    this.options = options;
    this.kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
    this.counters = new LeaseCounters(this.kinds.keys());
    this.held = new HeldLeases({ ...options, onLost: (row, overdue) => this.noteLost(row, overdue) });
  }

  start(): void {
    const { notifications, queries } = this.options;
    this.subscriptions = [
      notifications.on(queries.dueChannel, (kind = '') => {
        if (kind === '' || this.kinds.has(kind)) this.wake();
      }),
      notifications.on(queries.lostChannel, () => {
        this.losses++;
        void this.held.extend();
      }),
    ];
    this.held.start();
    this.loop = this.run();
  }

  /**
   * Stops claiming and waits for running work. After `timeout` milliseconds the work is aborted and released without
   * counting the attempt, so that another process can claim it at once.
   */
  async stop(timeout: number): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    await this.ended(timeout);
    const unfinished = this.held.list().filter(({ lost, settling }) => !lost && !settling);
    for (const { abort } of unfinished) abort.abort(new Error('the service is stopping'));
    await this.ended(grace);
    for (const each of unfinished) each.lost = true;
    await this.giveBack(unfinished.map(({ row }) => row));
    for (const unsubscribe of this.subscriptions) unsubscribe();
    this.held.stop();
  }

  figures(): LeaseFigures[] {
    const running = this.runningByKind();
    return [...this.kinds.keys()].map((kind) => ({
      kind,
      counts: this.counters.of(kind),
      running: running.get(kind) ?? 0,
    }));
  }

  backlog(): Promise<Backlog[]> {
    return this.options.queries.backlog(this.options.db, [...this.kinds.keys()]);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const nap = new Promise<void>((resolve) => (this.wake = resolve));
      const wait = await this.claim().catch((error: Error) => {
        this.options.log.warn('Due rows could not be read', { error: redact(error.message) });
        return 1_000;
      });
      const timer = setTimeout(this.wake, wait);
      if (!this.stopping) await nap;
      clearTimeout(timer);
    }
  }

  /** Fills the free slots. Returns the milliseconds until the next attempt, unless a notification comes first. */
  private async claim(): Promise<number> {
    const { db, queries, lease, atOnce = 1 } = this.options;
    const { most, kinds } = this.freeSlots();
    if (most < atOnce || kinds.length === 0) return maxNap;
    const { losses } = this;
    const sentAt = performance.now();
    const { rows, crowded, next } = await queries.claim(db, {
      token: randomUUID(),
      lease,
      most,
      kinds,
      // Work that ignores its abort may hold a row whose lease has ended. Another process must claim that row.
      except: this.held.list().map(({ row }) => row.id),
      served: [...this.served],
    });
    if (this.stopping || !this.held.fresh(sentAt)) await this.giveBack(rows);
    else for (const row of rows) this.begin(row, sentAt);
    // The lease may have been lost before the answer arrived.
    if (this.losses > losses) void this.held.extend();
    if (crowded) return 10 + 40 * Math.random();
    return Math.min(Math.max(next ?? maxNap, 5), maxNap);
  }

  private freeSlots(): { most: number; kinds: { kind: string; most: number; attempts: number }[] } {
    const running = this.runningByKind();
    const most = this.options.concurrency - this.held.list().length;
    const kinds = [...this.kinds.values()].map(({ kind, attempts, concurrency }) => ({
      kind,
      attempts,
      most: Math.min(most, concurrency - (running.get(kind) ?? 0)),
    }));
    return { most, kinds: kinds.filter((kind) => kind.most > 0) };
  }

  private runningByKind(): Map<string, number> {
    const running = new Map<string, number>();
    for (const { row } of this.held.list()) running.set(row.kind, (running.get(row.kind) ?? 0) + 1);
    return running;
  }

  private begin(row: Row, sentAt: number): void {
    this.counters.add(row.kind, 'claimed');
    this.served.delete(row.organizationId);
    this.served.add(row.organizationId);
    const [oldest = ''] = this.served;
    if (this.served.size > maxRemembered) this.served.delete(oldest);
    void this.held.hold(row, sentAt, (held) => this.traced(held)).then(() => this.wake());
  }

  private traced(held: Held<Row>): Promise<void> {
    const { row } = held;
    const kind = this.kinds.get(row.kind);
    if (!isTracing() || kind?.untraced) return this.carryOut(held);
    const attributes = {
      'drydock.job.kind': row.kind,
      'drydock.job.id': row.id,
      'drydock.job.attempt': row.attempts,
      'drydock.organization.id': row.organizationId || undefined,
      ...kind?.attributesOf?.(row),
    };
    const options = { kind: 'consumer', attributes, cause: kind?.causeOf?.(row), alone: true } as const;
    return inSpan(`job ${row.kind}`, options, (span) => this.carryOut(held, span));
  }

  private async carryOut(held: Held<Row>, span?: Span): Promise<void> {
    const { row, abort } = held;
    const kind = this.kinds.get(row.kind) as LeaseKind<Row, Outcome>;
    try {
      if (row.spent) return await this.giveUp(held, kind, `All ${kind.attempts} attempts were interrupted`);
      await this.options.backgroundThrottle?.admit(row.organizationId);
      const outcome = await kind.work(row, abort.signal);
      await this.options.backgroundThrottle?.admit(row.organizationId);
      // A lost row belongs to another process; after a stop, the row is released.
      if (abort.signal.aborted) return;
      await this.settle(held, () => kind.settle(row, { state: 'done' }, outcome));
      this.counters.add(row.kind, 'finished');
    } catch (error) {
      span?.fail(abort.signal.aborted ? 'stopped' : nameOfError(error));
      if (!abort.signal.aborted)
        await this.failed(held, kind, error).catch((failure: Error) => {
          // The lease expires, and the row is claimed again.
          this.options.log.warn('End of a lease could not be stored', {
            ...nameOf(row),
            error: redact(failure.message),
          });
        });
    }
  }

  private async failed(held: Held<Row>, kind: LeaseKind<Row, Outcome>, error: unknown): Promise<void> {
    const { row } = held;
    if (error instanceof LeaseLost) return this.held.lose(held);
    const message = redact(error instanceof Error ? error.message : String(error));
    this.options.log.warn('Attempt failed', { ...nameOf(row), attempt: row.attempts, error: message });
    this.counters.add(row.kind, 'failed');
    if (row.attempts >= kind.attempts && !row.spent) return this.giveUp(held, kind, message);
    const delay = Math.min(1_000 * 2 ** row.attempts, 300_000);
    const { db, queries } = this.options;
    await this.settle(held, () => queries.settle(db, row, { state: 'waiting', error: message, delay }));
  }

  private async giveUp(held: Held<Row>, kind: LeaseKind<Row, Outcome>, error: string): Promise<void> {
    const outcome = await kind.givenUp?.(held.row, error);
    await this.settle(held, () => kind.settle(held.row, { state: 'failed', error }, outcome));
    this.counters.add(kind.kind, 'givenUp');
    this.options.log.error('Failed after the last attempt', { ...nameOf(held.row), error });
  }

  private async settle(held: Held<Row>, settle: () => Promise<boolean>): Promise<void> {
    held.settling = true;
    try {
      if (!(await settle())) throw new LeaseLost();
    } finally {
      held.settling = false;
    }
  }

  private async giveBack(rows: Row[]): Promise<void> {
    const { db, queries, log } = this.options;
    // A row claimed only to be given up has no attempt to restore.
    const begun = rows.filter(({ spent }) => !spent);
    if (begun.length === 0) return;
    for (const { kind } of begun) this.counters.add(kind, 'released');
    await queries.release(db, begun).catch((error: Error) => {
      log.warn('Leases could not be released', { error: redact(error.message) });
    });
  }

  /** Resolves when all work has ended, or at the timeout. */
  private async ended(within: number): Promise<void> {
    await withTimeout(within, Promise.all(this.held.list().map(({ done }) => done)), () => {});
  }

  private noteLost(row: Row, overdue: boolean): void {
    const { log } = this.options;
    this.counters.add(row.kind, 'lost');
    if (overdue) log.warn('Lease lost', nameOf(row));
    else log.info('Lease revoked', nameOf(row));
  }
}

/**
 * Ends a lease and writes the outcomes in one transaction. Returns false, with nothing written, if the lease was lost.
 */
export async function settleWith<Row extends LeasedRow>(
  db: Db,
  queries: LeaseQueries<Row>,
  row: Row,
  end: LeaseEnd,
  commits: readonly (Commit | void | undefined)[],
): Promise<boolean> {
  try {
    await db.transaction(async (trx) => {
      if (!(await queries.settle(trx, row, end))) throw new LeaseLost();
      for (const commit of commits) await commit?.(trx);
    });
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) return false;
    throw error;
  }
}

function nameOf({ id, kind }: LeasedRow): { kind: string; id: string } {
  return { kind, id };
}
