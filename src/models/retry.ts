import type { Clock } from '../platform/clock.ts';
import { unlessAborted } from './abort.ts';
import { failureOf, type ModelFailure } from './failure.ts';

/** What the workers that call a model share, so that one that is told to wait tells the others. */
export interface PaceGate {
  /** Resolves when a call of this pool may be made. */
  wait(pool: string, signal: AbortSignal): Promise<void>;
  /** No call of this pool is made before then, in epoch milliseconds. */
  pause(pool: string, untilMs: number): void | Promise<void>;
}

export interface RetryOptions<T> {
  attempt: () => Promise<T>;
  /** Of the route that is called. */
  pool: string;
  gate: PaceGate;
  clock: Clock;
  /** May be cut short by the signal. */
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Between 0 and 1. */
  random: () => number;
  signal: AbortSignal;
  /** Attempts at most. */
  most?: number;
  /** Milliseconds of one wait at most. */
  longest?: number;
}

const firstWait = 1_000;

/**
 * Tries again what may work later: too many requests, a provider that fails, a connection that breaks. Waits as long as
 * the provider asks; when that is longer than `longest` it fails at once, because asking earlier is refused again and
 * counts. Otherwise waits by chance between nothing and twice as much as the last time, so that those who failed
 * together do not come back together.
 */
export async function withRetries<T>(options: RetryOptions<T>): Promise<T> {
  const { attempt, pool, gate, clock, sleep, random, signal, most = 8, longest = 120_000 } = options;
  for (let made = 1; ; made++) {
    await unlessAborted(gate.wait(pool, signal), signal);
    try {
      return await attempt();
    } catch (error) {
      const failure = failureOf(error, { signal, now: clock() });
      const asked = failure.retryAfterMs ?? 0;
      if (!mayWorkLater(failure) || made >= most || asked > longest) throw failure;
      const chance = random() * Math.min(longest, firstWait * 2 ** (made - 1));
      const wait = Math.min(longest, asked + chance);
      if (failure.kind === 'rate-limited' || asked > 0) await gate.pause(pool, clock() + (asked || wait));
      await unlessAborted(sleep(wait, signal), signal);
    }
  }
}

function mayWorkLater({ kind }: ModelFailure): boolean {
  return kind === 'rate-limited' || kind === 'overloaded' || kind === 'network';
}
