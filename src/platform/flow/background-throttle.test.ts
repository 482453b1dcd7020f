import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BackgroundThrottle } from './background-throttle.ts';

const now = (): number => performance.now();

function busy(ms: number): void {
  for (const ends = now() + ms; now() < ends; );
}

/** Admits this many pieces of `ms` milliseconds at once. Returns the time at which each ended. */
function pieces(backgroundThrottle: BackgroundThrottle, count: number, ms: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      await backgroundThrottle.admit('us');
      busy(ms);
      return now();
    }),
  );
}

test('Pieces that could all be done at once are done in turns of their own, in the order they came', async () => {
  const backgroundThrottle = new BackgroundThrottle({ now });
  const state = { turns: 0, over: false };
  const count = async (): Promise<void> => {
    for (; !state.over; state.turns++) await nextTurn();
  };
  void count();
  const done: { nth: number; inTurn: number }[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, nth) => {
      await backgroundThrottle.admit('us');
      done.push({ nth, inTurn: state.turns });
    }),
  );
  state.over = true;
  expect(done.map(({ nth }) => nth)).toEqual(Array.from({ length: 20 }, (_, nth) => nth));
  expect(new Set(done.map(({ inTurn }) => inTurn)).size).toBe(20);
});

test('While somebody asks, work in the background has a share of the time, and goes on', async () => {
  const backgroundThrottle = new BackgroundThrottle({ now });
  const asking = setInterval(() => backgroundThrottle.noteRequest('them'), 5);
  backgroundThrottle.noteRequest('them');
  const began = now();
  await pieces(backgroundThrottle, 10, 4);
  clearInterval(asking);
  // Each piece except the last is followed by a pause of seven times its length.
  expect(now() - began).toBeGreaterThan(10 * 4 + 9 * 28 - 5);
});

test('When nobody else asks there are no pauses', async () => {
  const backgroundThrottle = new BackgroundThrottle({ now: () => clock });
  let clock = 0;
  backgroundThrottle.noteRequest('us');
  const entered: number[] = [];
  const all = Array.from({ length: 5 }, async (_, nth) => {
    await backgroundThrottle.admit('us');
    clock += 30;
    entered.push(nth);
  });
  await Promise.all(all);
  expect(entered).toEqual([0, 1, 2, 3, 4]);
  expect(clock).toBe(150);
});
