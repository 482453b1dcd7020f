import { McpFailure } from './failures.ts';

export interface Wait {
  /** Milliseconds it may take. */
  timeout: number;
  /** What was allowed in all, where `timeout` is what is left of it. */
  allowed?: number | undefined;
  /** Aborts when whoever asked has hung up. */
  signal?: AbortSignal | undefined;
}

/** How long something is waited for, and why the waiting ended. Must be ended itself. */
export class Deadline {
  reason: McpFailure | undefined;
  private readonly stop = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly caller: AbortSignal | undefined;

  constructor({ timeout, allowed = timeout, signal }: Wait) {
    this.timer = setTimeout(() => this.giveUp(tooLate(allowed)), timeout);
    this.caller = signal;
    signal?.addEventListener('abort', this.hangUp, { once: true });
    if (signal?.aborted) this.hangUp();
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  readonly giveUp = (failure: McpFailure): void => {
    this.reason ??= failure;
    this.stop.abort(failure);
  };

  /** The outcome of `work`, or the reason to wait for it no longer. */
  async race<T>(work: Promise<T>): Promise<T> {
    const aborted = new Promise<never>((_, reject) => {
      const fail = (): void => reject(this.reason ?? new McpFailure('cancelled', 'given up'));
      this.signal.addEventListener('abort', fail, { once: true });
      if (this.signal.aborted) fail();
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      aborted.catch(() => {});
      work.catch(() => {});
    }
  }

  end(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.hangUp);
  }

  private readonly hangUp = (): void => this.giveUp(new McpFailure('cancelled', 'The caller has hung up'));
}

function tooLate(timeout: number): McpFailure {
  const span = timeout < 1000 ? `${Math.round(timeout)} ms` : `${Math.round(timeout / 100) / 10} s`;
  return new McpFailure('timeout', `The MCP server did not answer within ${span} (timed out)`, {
    waited: timeout,
  });
}
