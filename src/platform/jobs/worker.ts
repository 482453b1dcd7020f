import { setTimeout as delay } from 'node:timers/promises';
import type { Courtesy } from '../courtesy.ts';
import type { Db } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import { type JobRow, leases } from '../database/queries/jobs.ts';
import type { Backlog, LeaseFigures } from '../leases/figures.ts';
import { type Commit, LeaseHolder, type LeaseKind, settleWith } from '../leases/holder.ts';
import { type Log, redact } from '../log.ts';
import { type Account, type Enqueued, enqueueAll, withoutCause } from './queue.ts';

export interface JobKind {
  kind: string;
  /** May run more than once after a crash; what it returns is committed exactly once, with the end of the job. */
  handle: (payload: unknown, signal: AbortSignal, onBehalfOf?: Account) => Promise<Commit | void>;
  /** How often it is begun before it is given up; 5 if left out. */
  attempts?: number;
  /** What is to be written when the job is given up. */
  givenUp?: (payload: unknown, error: string, onBehalfOf?: Account) => Commit | Promise<Commit>;
  /** How many at once in a process; as many as it has slots if left out. */
  concurrency?: number;
  /** Runs again this many milliseconds after it ended, for ever. */
  every?: number;
}

interface WorkerOptions {
  db: Db;
  notifications: Notifications;
  kinds: readonly JobKind[];
  log: Log;
  courtesy?: Courtesy;
  concurrency?: number;
  /** How long a silent worker keeps its job. */
  lease?: number;
}

/** Milliseconds. */
const scheduleAgain = 1_000;

/** Does the jobs of these kinds. */
export class Worker {
  private readonly options: WorkerOptions;
  private readonly holder: LeaseHolder<JobRow, Commit | void>;
  private stopping = false;

  constructor(options: WorkerOptions) {
    const { db, notifications, kinds, log, courtesy, concurrency = 4, lease = 30_000 } = options;
    this.options = options;
    this.holder = new LeaseHolder({
      db,
      notifications,
      queries: leases,
      kinds: kinds.map((kind) => leaseKind(db, kind, concurrency)),
      concurrency,
      lease,
      courtesy,
      log,
    });
  }

  start(): void {
    this.holder.start();
    for (const kind of this.options.kinds) if (kind.every !== undefined) void this.schedule(kind);
  }

  /** Past `patience` jobs under way are told to stop and given back. */
  stop(patience: number): Promise<void> {
    this.stopping = true;
    return this.holder.stop(patience);
  }

  /**
   * Not waited for by the start: a worker that stands still while it writes the next turn of the job holds this up until
   * the database hangs up on it.
   */
  private async schedule(kind: JobKind): Promise<void> {
    const { db, log } = this.options;
    while (!this.stopping)
      try {
        await enqueueAll(db, [turnOf(kind, 0)]);
        return;
      } catch (error) {
        log.warn('A recurring job cannot be scheduled', {
          kind: kind.kind,
          error: redact((error as Error).message),
        });
        await delay(scheduleAgain, undefined, { ref: false });
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

/** The next run of a recurring job: one at a time, however many workers ask for it. */
function turnOf({ kind }: JobKind, delay: number): Enqueued {
  return { kind, payload: {}, uniqueKey: 'schedule', delay };
}

function accountOf({ organizationId, userId }: JobRow): Account | undefined {
  return userId === null ? undefined : { organizationId, userId };
}
