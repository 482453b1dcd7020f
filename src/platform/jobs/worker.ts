import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { type JobRow, leases } from '../database/queries/jobs.ts';
import type { BackgroundThrottle } from '../flow/background-throttle.ts';
import type { Backlog, LeaseFigures } from '../leases/figures.ts';
import { type Commit, LeaseHolder, type LeaseKind, settleWith } from '../leases/holder.ts';
import { type Log, redact } from '../log.ts';
import { type Account, type Enqueued, enqueueAll, withoutCause } from './queue.ts';

export interface JobHandler {
  /** May run more than once after a crash. The commit it returns runs exactly once, with the end of the job. */
  handle: (payload: unknown, signal: AbortSignal, onBehalfOf?: Account) => Promise<Commit | void>;
  /** Returns what to write when all attempts have failed. */
  givenUp?: (payload: unknown, error: string, onBehalfOf?: Account) => Commit | Promise<Commit>;
}

export interface JobKind extends JobHandler {
  kind: string;
  /** Default: 5. */
  attempts?: number;
  /** Maximum per process. Default: the concurrency of the worker. */
  concurrency?: number;
  /** Milliseconds after its end until the job runs again. */
  every?: number;
  /**
   * Whether there is work for the job, which then runs only if there is. Asked every `every` milliseconds by each
   * process: one read costs much less than a job.
   */
  when?: () => Promise<boolean>;
}

/** A handler that is loaded with its first job, so that a process loads the code of the jobs that it runs. */
export function loadedLater(load: () => Promise<JobHandler>): JobHandler {
  return {
    handle: async (...job) => (await load()).handle(...job),
    givenUp: async (...job) => (await (await load()).givenUp?.(...job)) ?? (async () => {}),
  };
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
  private readonly stopping = new AbortController();

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
    for (const kind of this.options.kinds) {
      if (kind.every === undefined) continue;
      if (kind.when) void this.watch(kind, kind.every, kind.when);
      else void this.schedule(kind);
    }
  }

  /** After `timeout` milliseconds, running jobs are aborted and released. */
  stop(timeout: number): Promise<void> {
    this.stopping.abort();
    return this.holder.stop(timeout);
  }

  /** Not awaited at the start: another worker may hold a lock on the row until the database disconnects it. */
  private async schedule(kind: JobKind): Promise<void> {
    const { db, log } = this.options;
    while (!this.stopping.signal.aborted)
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

  /** Enqueues the job whenever there is work for it. */
  private async watch(kind: JobKind, every: number, when: () => Promise<boolean>): Promise<void> {
    const { db, log } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        if (await when()) await enqueueAll(db, [turnOf(kind, 0)]);
      } catch (error) {
        log.warn('Work for a recurring job cannot be looked up', {
          kind: kind.kind,
          error: redact((error as Error).message),
        });
      }
      await delay(every, undefined, { ref: false, signal }).catch(() => {});
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
  const { kind, handle, attempts = 5, givenUp, concurrency = slots, every, when } = job;
  const next: Commit | undefined =
    every === undefined || when
      ? undefined
      : async (trx) => void (await enqueueAll(trx, [turnOf(job, every)]));
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
