import { setTimeout as delay } from 'node:timers/promises';

export interface Patience {
  /** How often a request is repeated that was refused for its rate, or a read that failed on the way. */
  retries?: number;
  fetch?: typeof fetch;
}

const longestWait = 60_000;

/** A 429 did nothing, so repeating it is safe; other failures are repeated only for reads. */
export async function sendPatiently(url: string, init: RequestInit, patience: Patience): Promise<Response> {
  const { retries = 2, fetch: send = fetch } = patience;
  for (let attempt = 0; ; attempt++) {
    const last = attempt >= retries;
    try {
      const response = await send(url, init);
      const transient = response.status === 429 || (response.status >= 502 && init.method === 'GET');
      if (last || !transient) return response;
      await response.body?.cancel();
      await pause(attempt, response.headers.get('retry-after'), init);
    } catch (error) {
      if (last || init.method !== 'GET' || init.signal?.aborted) throw error;
      await pause(attempt, null, init);
    }
  }
}

/** As long as the service says; otherwise doubling, with jitter so that callers do not return together. */
async function pause(attempt: number, retryAfter: string | null, init: RequestInit): Promise<void> {
  const told = Number(retryAfter) * 1000;
  const wait = told > 0 ? told + Math.random() * 250 : 250 * 2 ** attempt * (0.5 + Math.random());
  await delay(Math.min(wait, longestWait), undefined, init.signal ? { signal: init.signal } : {});
}
