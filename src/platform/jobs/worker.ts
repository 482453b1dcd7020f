import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Db } from '../database/database.ts';
import {
  claimJobs,
  extendLease,
  failJob,
  finishJob,
  type JobRow,
  postponeJob,
  untilNextJob,
} from '../database/queries/jobs.ts';
import { type Log, redact } from '../log.ts';
import { enqueue } from './queue.ts';

/** Writes the outcome; runs in the transaction that also marks the job done. */
type Commit = (db: Db) => Promise<void>;

export interface JobKind {
  kind: string;
  /** May run more than once after a crash; what it returns is committed exactly once. */
  handle: (payload: unknown, signal: AbortSignal) => Promise<Commit | void>;
  attempts?: number;
  /** Runs again this many milliseconds after it ended, for ever. */
  every?: number;
}

interface WorkerOptions {
  db: Db;
  dial: () => Promise<pg.Client>;
  kinds: readonly JobKind[];
  log: Log;
  concurrency?: number;
  /** How long a silent worker keeps its job. */
  lease?: number;
}

const longestNap = 30_000;

/** Takes due jobs, keeps their leases alive, and commits each result under the lease it was taken with. */
export class Worker {
  private readonly options: Required<WorkerOptions>;
  private readonly kinds: Map<string, JobKind>;
  private readonly running = new Map<string, { done: Promise<void>; abort: AbortController }>();
  private listener: pg.Client | undefined;
  private stopping = false;
  private wake: () => void = () => {};
  private loop: Promise<void> = Promise.resolve();

  constructor(options: WorkerOptions) {
    this.options = { concurrency: 4, lease: 30_000, ...options };
    this.kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
  }

  async start(): Promise<void> {
    for (const { kind, every } of this.kinds.values())
      if (every !== undefined) await enqueue(this.options.db, kind, {}, { uniqueKey: 'schedule' });
    await this.listen();
    this.loop = this.run();
  }

  /** Stops taking jobs and waits for those under way; past `patience` they are abandoned to their lease. */
  async stop(patience: number): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    const all = Promise.allSettled([...this.running.values()].map(({ done }) => done));
    const timer = setTimeout(() => {
      for (const { abort } of this.running.values()) abort.abort(new Error('the service is stopping'));
    }, patience);
    await all;
    clearTimeout(timer);
    await this.listener?.end().catch(() => {});
  }

  private async listen(): Promise<void> {
    const client = await this.options.dial();
    client.on('notification', () => this.wake());
    client.once('end', () => {
      // Until it is back the longest nap bounds how late a job starts.
      if (!this.stopping) void this.listenAgain();
    });
    await client.query('listen drydock_jobs');
    this.listener = client;
  }

  private async listenAgain(): Promise<void> {
    while (!this.stopping) {
      try {
        return await this.listen();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const nap = new Promise<void>((resolve) => (this.wake = resolve));
      let wait = longestNap;
      try {
        await this.claim();
        const free = this.running.size < this.options.concurrency;
        if (free)
          wait = Math.min(wait, (await untilNextJob(this.options.db, [...this.kinds.keys()])) ?? wait);
      } catch (error) {
        this.options.log.warn('Jobs cannot be read', { error: redact((error as Error).message) });
        wait = 1_000;
      }
      const timer = setTimeout(this.wake, Math.max(wait, 5));
      await nap;
      clearTimeout(timer);
    }
  }

  private async claim(): Promise<void> {
    const free = this.options.concurrency - this.running.size;
    if (free <= 0 || this.stopping) return;
    const jobs = await claimJobs(
      this.options.db,
      randomUUID(),
      this.options.lease,
      [...this.kinds.keys()],
      free,
    );
    for (const job of jobs) {
      const abort = new AbortController();
      const done = this.work(job, abort).finally(() => {
        this.running.delete(job.id);
        this.wake();
      });
      this.running.set(job.id, { done, abort });
    }
  }

  private async work(job: JobRow, abort: AbortController): Promise<void> {
    const { db, lease, log } = this.options;
    const kind = this.kinds.get(job.kind) as JobKind;
    const heartbeat = setInterval(() => {
      extendLease(db, job, lease)
        .then((held) => held || abort.abort(new Error('the lease was lost')))
        .catch(() => {});
    }, lease / 3);
    try {
      const commit = await kind.handle(job.payload, abort.signal);
      await db.transaction(async (trx) => {
        if (!(await finishJob(trx, job))) throw new Error('the lease was lost');
        if (commit) await commit(trx);
        if (kind.every !== undefined) await this.schedule(trx, kind);
      });
    } catch (error) {
      const message = redact(error instanceof Error ? error.message : String(error));
      log.warn('A job did not succeed', {
        job: job.id,
        kind: job.kind,
        attempt: job.attempts,
        error: message,
      });
      await this.giveBack(job, kind, message).catch(() => {
        // The lease runs out and another worker takes it.
      });
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async giveBack(job: JobRow, kind: JobKind, message: string): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      if (job.attempts < (kind.attempts ?? 5)) {
        await postponeJob(trx, job, Math.min(1_000 * 2 ** job.attempts, 300_000), message);
      } else if (await failJob(trx, job, message)) {
        if (kind.every !== undefined) await this.schedule(trx, kind);
      }
    });
  }

  private async schedule(db: Db, kind: JobKind): Promise<void> {
    await enqueue(db, kind.kind, {}, { uniqueKey: 'schedule', delay: kind.every as number });
  }
}
