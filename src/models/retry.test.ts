import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelFailure, type ModelFailureKind } from './failure.ts';
import { type PaceGate, withRetries } from './retry.ts';

/** A clock that advances only while sleeping, and a gate that records its pauses. */
function world({ random = (): number => 0.5 } = {}) {
  let now = 1_000_000;
  const slept: number[] = [];
  const pauses: [string, number][] = [];
  const gate: PaceGate = {
    wait: (pool) => {
      const until = Math.max(now, ...pauses.filter(([paused]) => paused === pool).map(([, ms]) => ms));
      now = until;
      return Promise.resolve();
    },
    pause: (pool, until) => void pauses.push([pool, until]),
  };
  const stop = new AbortController();
  return {
    slept,
    pauses,
    stop,
    now: () => now,
    options: {
      pool: 'p',
      gate,
      clock: () => now,
      sleep: (ms: number) => {
        slept.push(ms);
        now += ms;
        return Promise.resolve();
      },
      random,
      signal: stop.signal,
    },
  };
}

function failing(times: number, failure: () => Error) {
  let made = 0;
  const attempt = (): Promise<string> => (made++ < times ? Promise.reject(failure()) : Promise.resolve('ok'));
  return { attempt, made: () => made };
}

describe('retries', () => {
  test.each<[ModelFailureKind, boolean]>([
    ['rate-limited', true],
    ['overloaded', true],
    ['network', true],
    ['quota', false],
    ['unauthorized', false],
    ['bad-request', false],
    ['malformed', false],
    ['too-large', false],
    ['aborted', false],
  ])('%s is tried again: %s', async (kind, again) => {
    const { options } = world();
    const { attempt, made } = failing(2, () => new ModelFailure(kind, 'no'));
    const outcome = await withRetries({ ...options, attempt }).catch((error: ModelFailure) => error.kind);
    expect(outcome).toBe(again ? 'ok' : kind);
    expect(made()).toBe(again ? 3 : 1);
  });

  test('end after the last attempt with what it failed of', async () => {
    const { options, slept } = world();
    const { attempt, made } = failing(99, () => new ModelFailure('overloaded', 'full'));
    await expect(withRetries({ ...options, attempt, most: 4 })).rejects.toMatchObject({ message: 'full' });
    expect(made()).toBe(4);
    expect(slept).toEqual([500, 1000, 2000]);
  });

  test('wait as long as the provider asks, and pause everybody until then', async () => {
    const { options, slept, pauses, now } = world();
    const started = now();
    const limited = () => new ModelFailure('rate-limited', 'no', { retryAfterMs: 61_000 });
    const { attempt } = failing(1, limited);
    expect(await withRetries({ ...options, attempt })).toBe('ok');
    expect(slept[0]).toBeGreaterThanOrEqual(61_000);
    expect(pauses).toEqual([['p', started + 61_000]]);
  });

  test('a pause that one was told of holds back the next', async () => {
    const { options, now } = world({ random: () => 0 });
    const started = now();
    await options.gate.pause('p', started + 5_000);
    const attempt = (): Promise<number> => Promise.resolve(now());
    expect(await withRetries({ ...options, attempt })).toBe(started + 5_000);
    expect(await withRetries({ ...options, attempt, pool: 'other' })).toBe(started + 5_000);
  });

  test('a failure of the provider pauses nobody else unless it says how long', async () => {
    const { options, pauses } = world();
    const { attempt } = failing(1, () => new ModelFailure('overloaded', 'no'));
    await withRetries({ ...options, attempt });
    expect(pauses).toEqual([]);
  });

  test('a wait longer than allowed is none: the failure comes at once', async () => {
    const { options, slept } = world();
    const { attempt } = failing(1, () => new ModelFailure('rate-limited', 'no', { retryAfterMs: 10_001 }));
    await expect(withRetries({ ...options, attempt, longest: 10_000 })).rejects.toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 10_001,
    });
    expect(slept).toEqual([]);
  });

  test('an abort ends the wait at the gate and the sleep', async () => {
    const never = new Promise<never>(() => {});
    for (const part of ['gate', 'sleep'] as const) {
      const { options, stop } = world();
      const { attempt } = failing(9, () => new ModelFailure('overloaded', 'no'));
      const stuck =
        part === 'gate' ? { gate: { ...options.gate, wait: () => never } } : { sleep: () => never };
      const running = withRetries({ ...options, ...stuck, attempt });
      stop.abort();
      await expect(running).rejects.toMatchObject({ kind: 'aborted' });
    }
  });

  test('no wait is shorter than asked for or longer than allowed', async () => {
    const failures = fc.array(
      fc.record({
        kind: fc.constantFrom<ModelFailureKind>('rate-limited', 'overloaded', 'network'),
        retryAfterMs: fc.option(fc.nat(200_000), { nil: undefined }),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(
        failures,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 100_000 }),
        async (list, chance, longest) => {
          const { options, slept } = world({ random: () => chance });
          let made = 0;
          const attempt = (): Promise<string> => {
            const next = list[made++];
            return next ? Promise.reject(new ModelFailure(next.kind, 'no', next)) : Promise.resolve('ok');
          };
          const outcome = await withRetries({ ...options, attempt, most: 20, longest }).catch(() => 'failed');
          const tooLong = list.findIndex(({ retryAfterMs }) => (retryAfterMs ?? 0) > longest);
          expect(outcome).toBe(tooLong < 0 ? 'ok' : 'failed');
          for (const [n, ms] of slept.entries()) {
            expect(ms).toBeLessThanOrEqual(longest);
            expect(ms).toBeGreaterThanOrEqual(list[n]?.retryAfterMs ?? 0);
          }
        },
      ),
    );
  });
});
