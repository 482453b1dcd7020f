import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { type JobRow, leases } from '../database/queries/jobs.ts';
import type { BackgroundThrottle } from '../flow/background-throttle.ts';
import type { Backlog, LeaseFigures } from '../leases/figures.ts';
import { type Commit, LeaseHolder, type LeaseKind, settleWith } from '../leases/holder.ts';
import { type Log, redact } from '../log.ts';
import { type Account, type Enqueued, enqueueAll, withoutCause } from './queue.ts';

export interface JobKind {
  kind: string;
  /** May run more than once after a crash. The commit it returns runs exactly once, with the end of the job. */
  handle: (payload: unknown, signal: AbortSignal, onBehalfOf?: Account) => Promise<Commit | void>;
  /** Default: 5. */
  attempts?: number;
  /** Returns what to write when all attempts have failed. */
  givenUp?: (payload: unknown, error: string, onBehalfOf?: Account) => Commit | Promise<Commit>;
  /** Maximum per process. Default: the concurrency of the worker. */
  concurrency?: number;
  /** Milliseconds after its end until the job runs again. */
  every?: number;
}

interface WorkerOptions {
  db: Db;
  notifications: Notifications;
  kinds: readonly JobKind[];
  log: Log;
  backgroundThrottle?: BackgroundThrottle;
  concurrency?: number;
  /** Milliseconds after which a job of a silent worker is reassigned. */
  lease?: number;
}

/** Milliseconds after which a failed scheduling is retried. */
const scheduleRetryDelay = 1_000;

/** Runs the jobs of the given kinds. */
export class Worker {
  private readonly options: WorkerOptions;
  private readonly holder: LeaseHolder<JobRow, Commit | void>;
  private stopping = false;

  constructor(options: WorkerOptions) {
    const { db, notifications, kinds, log, backgroundThrottle, concurrency = 4, lease = 30_000 } = options;
    this.options = options;
    this.holder = new LeaseHolder({
      db,
      notifications,
      queries: leases,
      kinds: kinds.map((kind) => leaseKind(db, kind, concurrency)),
      concurrency,
      lease,
      backgroundThrottle,
      log,
    });
  }

  start(): void {
    this.holder.start();
    for (const kind of this.options.kinds) if (kind.every !== undefined) void this.schedule(kind);
  }

  /** After `patience` milliseconds, running jobs are aborted and released. */
  stop(patience: number): Promise<void> {
    this.stopping = true;
    return this.holder.stop(patience);
  }

  /** Not awaited at the start: another worker may hold a lock on the row until the database disconnects it. */
  private async schedule(kind: JobKind): Promise<void> {
    const { db, log } = this.options;
    while (!this.stopping)
      try {
        await enqueueAll(db, [turnOf(kind, 0)]);
        return;
      } catch (error) {
        log.warn('Recurring job cannot be scheduled', {
          kind: kind.kind,
          error: redact((error as Error).message),
        });
        await delay(scheduleRetryDelay, undefined, { ref: false });
      }
  }

  figures(): LeaseFigures[] {
    return this.holder.figures();
  }

  backlog(): Promise<Backlog[]> {
    return this.holder.backlog();
  }
}

function leaseKind(db: Db, job: JobKind, slots: number): LeaseKind<JobRow, Commit | void> {
  const { kind, handle, attempts = 5, givenUp, concurrency = slots, every } = job;
  const next: Commit | undefined =
    every === undefined ? undefined : async (trx) => void (await enqueueAll(trx, [turnOf(job, every)]));
  return {
    kind,
    attempts,
    concurrency,
    untraced: every !== undefined,
    causeOf: (row) => withoutCause(row.payload).cause,
    work: (row, signal) => handle(withoutCause(row.payload).payload, signal, accountOf(row)),
    givenUp: givenUp && ((row, error) => givenUp(withoutCause(row.payload).payload, error, accountOf(row))),
    settle: (row, end, commit) => settleWith(db, leases, row, end, [commit, next]),
  };
}

/** The next run of a recurring job. The unique key prevents duplicates, however many workers schedule it. */
function turnOf({ kind }: JobKind, delay: number): Enqueued {
  return { kind, payload: {}, uniqueKey: 'schedule', delay };
}

function accountOf({ organizationId, userId }: JobRow): Account | undefined {
  return userId === null ? undefined : { organizationId, userId };
}
