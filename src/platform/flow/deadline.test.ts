import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Deadline, timeoutSignal, unlessAborted, withTimeout } from './deadline.ts';

test('A timeout that only a combined signal refers to fires in spite of garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const clearUp = runInNewContext('gc') as () => void;
  const lasting = new AbortController();
  const waiting = Array.from({ length: 200 }, () => {
    const either = AbortSignal.any([lasting.signal, timeoutSignal(50)]);
    return new Promise((resolve) => either.addEventListener('abort', () => resolve(either.reason.name)));
  });
  clearUp();
  await new Promise((resolve) => setTimeout(resolve, 20));
  clearUp();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['TimeoutError']));
});

const forever = new Promise<never>(() => {});

test('withTimeout settles like the work if that is in time, and otherwise as told', async () => {
  expect(await withTimeout(1_000, Promise.resolve('done'), () => 'late')).toBe('done');
  await expect(withTimeout(1_000, Promise.reject(new Error('broken')), () => 'late')).rejects.toThrow(
    'broken',
  );
  expect(await withTimeout(1, forever, () => 'late')).toBe('late');
  await expect(withTimeout(1, forever)).rejects.toThrow('timed out after 1 ms');
});

test('unlessAborted rejects at once when the signal aborts, with the reason or the given error', async () => {
  const stop = new AbortController();
  const waiting = [
    unlessAborted(forever, stop.signal),
    unlessAborted(forever, stop.signal, () => new Error('mine')),
  ];
  stop.abort(new Error('theirs'));
  await expect(waiting[0]).rejects.toThrow('theirs');
  await expect(waiting[1]).rejects.toThrow('mine');
  await expect(unlessAborted(forever, stop.signal)).rejects.toThrow('theirs');
  expect(await unlessAborted(Promise.resolve('done'), undefined)).toBe('done');
});

test('A deadline ends at its timeout, when the caller leaves or when it is given up, with the first reason', async () => {
  const options = { timedOut: () => new Error('timed out'), cancelled: () => new Error('cancelled') };
  const short = new Deadline({ ...options, timeout: 1, signal: undefined });
  await expect(short.race(forever)).rejects.toThrow('timed out');
  const caller = new AbortController();
  const left = new Deadline({ ...options, timeout: 60_000, signal: caller.signal });
  caller.abort();
  left.giveUp(new Error('too late'));
  await expect(left.race(forever)).rejects.toThrow('cancelled');
  expect(left.signal.reason).toBe(left.reason);
  const ended = new Deadline({ ...options, timeout: 60_000, signal: undefined });
  ended.end();
  expect(await ended.race(Promise.resolve('done'))).toBe('done');
  for (const deadline of [short, left]) deadline.end();
});
