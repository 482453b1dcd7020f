import { FairQueue } from './fair-queue.ts';

/** Frees the permit. Calling it again has no effect. */
export type Release = () => void;

interface AcquireOptions {
  /** Owners that wait are served round-robin. */
  owner?: string;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

interface QueueLimits {
  /** Running and waiting together. */
  total: number;
  perOwner?: number;
  /** The error for a request beyond the limit. */
  error: () => Error;
}

/** Limits how many tasks run at once. Waiting tasks run in order of arrival, with owners taking turns. */
export class Semaphore {
  /** May change at any time, followed by a call of `serve`. */
  permits: number | (() => number);
  private readonly queue = new FairQueue<void>(() => this.take());
  private readonly limits: QueueLimits | undefined;
  /** Running and waiting tasks of each owner. */
  private readonly pending = new Map<string, number>();
  private used = 0;

  constructor(permits: number | (() => number), limits?: QueueLimits) {
    this.permits = permits;
    this.limits = limits;
  }

  get inUse(): number {
    return this.used;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** Throws the error of the limits if no more tasks may wait. */
  mustHaveRoom(owner = ''): void {
    const { limits } = this;
    if (!limits) return;
    const { total, perOwner = total, error } = limits;
    if (this.used + this.queue.size >= total || (this.pending.get(owner) ?? 0) >= perOwner) throw error();
  }

  /** Waits for a permit. Rejects with the reason of the signal when it aborts first. */
  async acquire({ owner = '', signal }: AcquireOptions = {}): Promise<Release> {
    this.mustHaveRoom(owner);
    this.count(owner, 1);
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      this.count(owner, -1);
      this.used--;
      this.queue.serve();
    };
    try {
      await this.queue.enter(owner, undefined, signal);
    } catch (error) {
      this.count(owner, -1);
      throw error;
    }
    // The signal may abort between the admission and the return of this promise.
    if (!signal?.aborted) return release;
    release();
    throw signal.reason;
  }

  /** Runs the task while holding a permit. */
  async run<T>(task: () => Promise<T>, options?: AcquireOptions): Promise<T> {
    const release = await this.acquire(options);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Admits waiting tasks after the number of permits has grown. */
  serve(): void {
    this.queue.serve();
  }

  private take(): boolean {
    const permits = typeof this.permits === 'number' ? this.permits : this.permits();
    if (this.used >= permits) return false;
    this.used++;
    return true;
  }

  private count(owner: string, by: number): void {
    const pending = (this.pending.get(owner) ?? 0) + by;
    if (pending === 0) this.pending.delete(owner);
    else this.pending.set(owner, pending);
  }
}

/** One semaphore per key, created when first used and dropped when idle. */
export class KeyedSemaphore {
  private readonly semaphores = new Map<string, Semaphore>();

  /** Runs the task with one of the key's permits, or at once if `permits` is undefined. */
  async run<T>(
    key: string,
    permits: number | undefined,
    signal: AbortSignal | undefined,
    task: () => Promise<T>,
  ): Promise<T> {
    if (permits === undefined) return task();
    const semaphore = this.semaphores.get(key) ?? new Semaphore(permits);
    this.semaphores.set(key, semaphore);
    semaphore.permits = permits;
    try {
      return await semaphore.run(task, { signal });
    } finally {
      if (semaphore.inUse === 0 && semaphore.waiting === 0) this.semaphores.delete(key);
    }
  }
}
