/** Keeps signals alive until they abort. */
const pending = new Set<AbortSignal>();

/**
 * Aborts after `ms` milliseconds. Use it instead of AbortSignal.timeout: Node 20 garbage-collects such a signal while
 * only an AbortSignal.any refers to it, and the timeout never fires.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const signal = AbortSignal.timeout(ms);
  pending.add(signal);
  signal.addEventListener('abort', () => pending.delete(signal), { once: true });
  return signal;
}

const timedOut = Symbol('timed out');

/**
 * Settles like the work, or returns `late()` if the work takes longer than `ms` milliseconds. Without `late` it
 * rejects. The work is not stopped.
 */
export async function withTimeout<T, Late = never>(
  ms: number,
  work: Promise<T>,
  late: () => Late = () => {
    throw new Error(`timed out after ${ms} ms`);
  },
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(() => resolve(timedOut), ms);
  });
  try {
    const first = await Promise.race([work, timeout]);
    if (first !== timedOut) return first;
    work.catch(() => {});
    return late();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Settles like the work, or rejects as soon as the signal aborts, for work that does not listen to the signal. Rejects
 * with the signal's reason unless another one is given.
 */
export async function unlessAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal | undefined,
  reason: () => unknown = () => signal?.reason,
): Promise<T> {
  if (!signal) return work;
  const pending = Promise.resolve(work);
  // After an abort the work is not awaited, and an unhandled rejection would end the process.
  pending.catch(() => {});
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(reason());
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([pending, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    aborted.catch(() => {});
  }
}

interface DeadlineOptions<Failure extends Error> {
  /** Milliseconds. */
  timeout: number;
  /** Aborts when the caller has disconnected. */
  signal: AbortSignal | undefined;
  /** The errors for the two ways in which the wait ends early. */
  timedOut: () => Failure;
  cancelled: () => Failure;
}

/**
 * Aborts its signal at a timeout or when the caller disconnects, and says why. Call `end` when the work has settled.
 */
export class Deadline<Failure extends Error> {
  reason: Failure | undefined;
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly caller: AbortSignal | undefined;
  private readonly cancel: () => void;

  constructor({ timeout, signal, timedOut, cancelled }: DeadlineOptions<Failure>) {
    this.timer = setTimeout(() => this.giveUp(timedOut()), timeout);
    this.caller = signal;
    this.cancel = () => this.giveUp(cancelled());
    signal?.addEventListener('abort', this.cancel, { once: true });
    if (signal?.aborted) this.cancel();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  readonly giveUp = (failure: Failure): void => {
    this.reason ??= failure;
    this.controller.abort(failure);
  };

  /** Settles like the work, or rejects with the reason to give up. */
  race<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(work, this.signal);
  }

  end(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.cancel);
  }
}
