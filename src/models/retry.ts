import type { Clock } from '../platform/clock.ts';
import { failureOf, type ModelFailure, unlessAborted } from './failure.ts';

/** Shared by the workers that call a model, so that a rate limit for one pauses all. */
export interface PaceGate {
  /** Resolves when the pool may be called. */
  wait(pool: string, signal: AbortSignal): Promise<void>;
  /** Pauses the pool until that time in epoch milliseconds. */
  pause(pool: string, untilMs: number): void | Promise<void>;
}

export interface RetryOptions<T> {
  attempt: () => Promise<T>;
  /** The rate limit pool of the route. */
  pool: string;
  gate: PaceGate;
  clock: Clock;
  /** The signal may end it early. */
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Between 0 and 1. */
  random: () => number;
  signal: AbortSignal;
  /** Maximum number of attempts. */
  most?: number;
  /** Maximum milliseconds of one wait. */
  longest?: number;
}

/** Milliseconds; doubled with each further attempt. */
const firstWait = 1_000;

/**
 * Retries after rate limits, provider errors and broken connections. Waits as long as the provider asks; if that is
 * longer than `longest` it fails at once, because an earlier attempt would be refused and counted. Otherwise uses
 * exponential backoff with full jitter, so that calls that failed together do not retry together.
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
