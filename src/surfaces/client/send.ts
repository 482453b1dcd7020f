import { DrydockError } from './error.ts';
import { backoff, pause } from './lifetime.ts';
import type { ClientOptions } from './options.ts';
import type { Request } from './request.ts';

/** Milliseconds before the first retry. */
const firstPause = 250;
/** Statuses of proxies and of a service that is shutting down. */
const gatewayStatuses: readonly number[] = [502, 503, 504];
/** Codes for failures of servers under test. They are results and not retried. */
const targetErrors: readonly string[] = ['SERVER_UNREACHABLE', 'TIMEOUT'];

/** Sends a request, retries it as allowed, and returns the response unread. */
export async function sendWithRetry<T>(
  request: Request,
  signal: AbortSignal,
  options: ClientOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { retries = 2, maxWait = 60_000, onRetry, fetch: send = fetch } = options;
  let waited = 0;
  for (let attempt = 1; ; attempt++) {
    const init = await request.init();
    signal.throwIfAborted();
    try {
      const response = await send(request.url, { ...init, signal });
      if (!response.ok && !request.answers.includes(response.status)) throw await DrydockError.from(response);
      return await read(response);
    } catch (error) {
      signal.throwIfAborted();
      // Retries while an earlier attempt runs are not counted, so they need a delay.
      const wait = Math.max(waitAfter(error, attempt), underWay(error) ? firstPause : 0);
      const enough = underWay(error) ? retries === 0 : attempt > retries;
      if (enough || waited + wait > maxWait || !mayRepeat(request, error)) throw error;
      waited += wait;
      onRetry?.({ operation: request.operation, attempt, wait, error });
      await pause(wait, signal);
    }
  }
}

function mayRepeat({ resendable, repeatable }: Request, error: unknown): boolean {
  if (!resendable) return false;
  // Other errors are network failures: the request may have arrived.
  if (!(error instanceof DrydockError)) return repeatable;
  const { status, code } = error;
  // Rate-limited and overloaded requests had no effect.
  if (status === 429 || error.details['reason'] === 'OVERLOADED' || underWay(error)) return true;
  return repeatable && gatewayStatuses.includes(status) && !targetErrors.includes(code);
}

/** An earlier attempt is still running; its response was lost. */
function underWay(error: unknown): boolean {
  return error instanceof DrydockError && error.details['reason'] === 'IDEMPOTENCY_KEY_IN_USE';
}

function waitAfter(error: unknown, attempt: number): number {
  const told = error instanceof DrydockError ? error.retryAfter : undefined;
  return told === undefined
    ? backoff(firstPause, attempt)
    : told * 1000 + Math.random() * Math.min(firstPause, told * 1000);
}
