import { expect, test } from 'vitest';
import { forEachConcurrent } from './for-each.ts';

const never = new AbortController().signal;

test('All items are worked on, at most so many at once', async () => {
  const state = { now: 0, most: 0, done: [] as number[] };
  await forEachConcurrent([1, 2, 3, 4, 5], 2, never, async (item) => {
    state.most = Math.max(state.most, ++state.now);
    await new Promise(setImmediate);
    state.now--;
    state.done.push(item);
  });
  expect(state).toEqual({ now: 0, most: 2, done: [1, 2, 3, 4, 5] });
});

test('The first failure aborts the others, and is thrown when they have ended', async () => {
  const ended: string[] = [];
  const running = forEachConcurrent(['fails', 'waits', 'never begun'], 2, never, async (item, signal) => {
    if (item === 'fails') throw new Error('broken');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended.push(item);
  });
  await expect(running).rejects.toThrow('broken');
  expect(ended).toEqual(['waits']);
});

test('The caller can abort all', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const running = forEachConcurrent([1, 2, 3], 1, stop.signal, async (item) => {
    begun.push(item);
    stop.abort(new Error('no longer wanted'));
  });
  await expect(running).rejects.toThrow('no longer wanted');
  expect(begun).toEqual([1]);
});
