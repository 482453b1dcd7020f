import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions, Client } from '../client/index.ts';
import type { Calling } from './agent.ts';
import { refusalIn } from './answers.ts';

/** Maximum number of waits of one call, and maximum milliseconds of one wait. */
const maxWaits = 3;
const maxWait = 15_000;

/** Retries a rate-limited call, because one tool makes several calls and the burst of a key may be small. */
export async function withRateLimitRetry<T>(
  call: () => T,
  signal: AbortSignal,
  waited = 0,
): Promise<Awaited<T>> {
  try {
    return await call();
  } catch (error) {
    const refusal = refusalIn(error);
    const wait = Number(refusal?.details?.['retryAfterMs']);
    if (refusal?.code !== 'RATE_LIMITED' || !(wait <= maxWait) || waited >= maxWaits) throw error;
    await delay(wait, undefined, { signal });
    return withRateLimitRetry(call, signal, waited + 1);
  }
}

type Call = (input: object, options?: CallOptions) => Promise<unknown>;

/** A client whose JSON calls retry when rate limited, and abort with the agent. */
export function retryingClient({ agent: { client }, signal }: Pick<Calling, 'agent' | 'signal'>): Client {
  return new Proxy(client, {
    get: (target, name): Call => {
      const call = Reflect.get(target, name) as Call;
      return (input, options) => withRateLimitRetry(() => call(input, { signal, ...options }), signal);
    },
  });
}
