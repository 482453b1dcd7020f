import { DrydockError } from './error.ts';
import { backoff, pause } from './lifetime.ts';
import type { ClientOptions } from './options.ts';
import type { Request } from './request.ts';

const firstPause = 250;
/** Of proxies, and of a service that is about to end. */
const onTheWay: readonly number[] = [502, 503, 504];
/** With these the service says what became of something that it asked in turn, having waited for it. */
const ofTheTarget: readonly string[] = ['SERVER_UNREACHABLE', 'TIMEOUT'];

/** Sends a request until it is answered or patience ends, and hands the answer on to be read. */
export async function sendPatiently<T>(
  request: Request,
  signal: AbortSignal,
  patience: ClientOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { retries = 2, maxWait = 60_000, onRetry, fetch: send = fetch } = patience;
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
      // Nothing counts these, so they must not come one right after the other.
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
  // Nothing but the network fails otherwise; whether the request arrived is not known then.
  if (!(error instanceof DrydockError)) return repeatable;
  const { status, code } = error;
  // Refused for its rate, or for what there is to do already, nothing was done.
  if (status === 429 || error.details['reason'] === 'OVERLOADED' || underWay(error)) return true;
  return repeatable && onTheWay.includes(status) && !ofTheTarget.includes(code);
}

/** The answer to an earlier attempt was lost, and the service is still at it. */
function underWay(error: unknown): boolean {
  return error instanceof DrydockError && error.details['reason'] === 'IDEMPOTENCY_KEY_IN_USE';
}

function waitAfter(error: unknown, attempt: number): number {
  const told = error instanceof DrydockError ? error.retryAfter : undefined;
  return told === undefined
    ? backoff(firstPause, attempt)
    : told * 1000 + Math.random() * Math.min(firstPause, told * 1000);
}
