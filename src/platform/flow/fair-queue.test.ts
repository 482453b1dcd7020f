import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** A queue with room for this many items, and a log of the admitted items. */
function queueFor(room: number) {
  const state = { room, admitted: [] as number[] };
  const queue = new FairQueue<number>((size) => {
    if (size > state.room) return false;
    state.room -= size;
    state.admitted.push(size);
    return true;
  });
  const free = (size: number): void => {
    state.room += size;
    queue.serve();
  };
  return { queue, state, free };
}

test('Owners are served in turn, and the items of each in order', async () => {
  const { queue, state, free } = queueFor(0);
  const sizes = { a: [1, 2, 3], b: [4, 5], c: [6] };
  const all = Object.entries(sizes).flatMap(([owner, items]) =>
    items.map((item) => queue.enter(owner, item)),
  );
  expect(queue.size).toBe(6);
  for (const size of [1, 4, 6, 2, 5, 3]) free(size);
  await Promise.all(all);
  expect(state.admitted).toEqual([1, 4, 6, 2, 5, 3]);
  expect(queue.size).toBe(0);
});

test('An item that does not fit is passed over, and admitted when there is room for it', async () => {
  const { queue, state, free } = queueFor(1);
  const large = queue.enter('a', 3);
  await queue.enter('a', 1);
  expect(state.admitted).toEqual([1]);
  free(3);
  await large;
  expect(state.admitted).toEqual([1, 3]);
});

test('An aborted item leaves the queue without taking room', async () => {
  const { queue, state, free } = queueFor(0);
  const stop = new AbortController();
  const given = queue.enter('a', 1, stop.signal);
  const next = queue.enter('a', 1);
  stop.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  await expect(queue.enter('a', 1, stop.signal)).rejects.toThrow('given up');
  expect(queue.size).toBe(1);
  free(1);
  await next;
  expect(state).toEqual({ room: 0, admitted: [1] });
});
