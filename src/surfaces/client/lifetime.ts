/** Maximum milliseconds of a timer. */
const maxTimer = 2 ** 31 - 1;

/** Ends a call early: by its caller, or by its timeout. */
export class Lifetime {
  private readonly controller = new AbortController();
  private readonly given: AbortSignal | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(given?: AbortSignal) {
    this.given = given;
    if (given?.aborted) this.giveUp();
    else given?.addEventListener('abort', this.giveUp);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Replaces the remaining time by `ms` milliseconds, or removes the timeout if no timer can be that long. */
  allow(ms: number): void {
    clearTimeout(this.timer);
    if (ms > maxTimer) return;
    this.timer = setTimeout(() => this.controller.abort(tookTooLong(ms)), ms);
  }

  /** Stops the timeout and ignores the caller, because the call has ended or continues on its own. */
  release(): void {
    clearTimeout(this.timer);
    this.given?.removeEventListener('abort', this.giveUp);
  }

  /** Aborts the running call. */
  end(): void {
    this.release();
    this.controller.abort();
  }

  private readonly giveUp = (): void => {
    this.controller.abort(this.given?.reason);
  };
}

function tookTooLong(ms: number): DOMException {
  return new DOMException(`No answer within ${ms} ms`, 'TimeoutError');
}

/** Waits, at most as long as a timer can. Rejects as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      },
      Math.min(ms, maxTimer),
    );
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
}

/** Exponential backoff with jitter of ±50%, so that clients do not retry at the same time. */
export function backoff(first: number, attempt: number): number {
  return first * 2 ** Math.min(attempt - 1, 10) * (0.5 + Math.random());
}
