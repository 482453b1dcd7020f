import { setTimeout as delay } from 'node:timers/promises';
import { refusalIn } from './answers.ts';

const mostWaits = 3;
const longestWait = 15_000;

/** A task makes several calls, which a key with a small burst has not at once: what soon has room is waited for. */
export async function patiently<T>(call: () => T, signal: AbortSignal, waited = 0): Promise<Awaited<T>> {
  try {
    return await call();
  } catch (error) {
    const refusal = refusalIn(error);
    const wait = Number(refusal?.details?.['retryAfterMs']);
    if (refusal?.code !== 'RATE_LIMITED' || !(wait <= longestWait) || waited >= mostWaits) throw error;
    await delay(wait, undefined, { signal });
    return patiently(call, signal, waited + 1);
  }
}
