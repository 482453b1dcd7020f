/** The longest a timer can be set for. */
const longest = 2 ** 31 - 1;

/** What ends a call early: its caller, or the clock. */
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

  /** From now on it may take this many milliseconds, whatever was said before. */
  allow(ms: number): void {
    clearTimeout(this.timer);
    if (ms > longest) return;
    this.timer = setTimeout(() => this.controller.abort(tookTooLong(ms)), ms);
  }

  /** It is over, or goes on by itself: the clock stops, and the caller is not listened to. */
  release(): void {
    clearTimeout(this.timer);
    this.given?.removeEventListener('abort', this.giveUp);
  }

  /** Ends what is still under way. */
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

/** Rejects at once when the signal is aborted. */
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
      Math.min(ms, longest),
    );
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
}

/** Twice as long each time, from half to one and a half of that, so that callers do not return together. */
export function backoff(first: number, attempt: number): number {
  return first * 2 ** Math.min(attempt - 1, 10) * (0.5 + Math.random());
}
