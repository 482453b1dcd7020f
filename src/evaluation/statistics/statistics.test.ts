import fc from 'fast-check';
import { expect, test } from 'vitest';
import { caseStatistics } from './case-statistics.ts';
import { passAtK, passHatK } from './pass-at-k.ts';
import { passesToSettle, trialsToSettle } from './settle.ts';
import { wilson } from './wilson.ts';

test.each([
  [0, 5, 0, 0.4345],
  [3, 5, 0.2307, 0.8824],
  [4, 5, 0.3755, 0.9638],
  [5, 5, 0.5655, 1],
  [8, 10, 0.4902, 0.9433],
  [9, 10, 0.5958, 0.9821],
  [10, 10, 0.7225, 1],
  [17, 20, 0.6396, 0.9476],
  [95, 100, 0.8882, 0.9785],
])('Wilson interval of %i in %i', (passed, trials, lower, upper) => {
  const interval = wilson(passed, trials);
  expect(interval?.lower).toBeCloseTo(lower, 4);
  expect(interval?.upper).toBeCloseTo(upper, 4);
});

test.each([
  [5, 3, 2, 0.9, 0.3],
  [10, 8, 3, 1, 0.466667],
  [10, 2, 5, 0.777778, 0],
  [10_000, 5000, 1, 0.5, 0.5],
  [10_000, 9999, 5000, 1, 0.5],
  [10_000, 1, 10_000, 1, 0],
  [10_000, 10_000, 10_000, 1, 1],
  [10_000, 0, 10_000, 0, 0],
])('of %i trials %i passed, taken %i at a time', (trials, passed, k, atK, hatK) => {
  expect(passAtK(trials, passed, k)).toBeCloseTo(atK, 6);
  expect(passHatK(trials, passed, k)).toBeCloseTo(hatK, 6);
});

test('more trials than there are cannot be taken', () => {
  for (const chance of [passAtK, passHatK]) {
    expect(chance(5, 3, 6)).toBeUndefined();
    expect(chance(5, 3, 0)).toBeUndefined();
    expect(chance(0, 0, 1)).toBeUndefined();
  }
});

test('the chances keep between 0 and 1, and more tries help one and hurt the other', () => {
  const counts = fc
    .integer({ min: 1, max: 10_000 })
    .chain((trials) => fc.tuple(fc.constant(trials), fc.nat(trials), fc.integer({ min: 1, max: trials })));
  fc.assert(
    fc.property(counts, ([trials, passed, k]) => {
      const [atK = 0, hatK = 0] = [passAtK(trials, passed, k), passHatK(trials, passed, k)];
      for (const chance of [atK, hatK]) expect(chance >= 0 && chance <= 1).toBe(true);
      expect(passAtK(trials, passed, k + 1) ?? 1).toBeGreaterThanOrEqual(atK);
      expect(passHatK(trials, passed, k + 1) ?? 0).toBeLessThanOrEqual(hatK);
      expect(passAtK(trials, passed, trials)).toBeCloseTo(passed > 0 ? 1 : 0, 9);
      expect(passHatK(trials, passed, trials)).toBeCloseTo(passed === trials ? 1 : 0, 9);
    }),
  );
});

test.each<[number, number, number, { more: number; side: string } | undefined]>([
  [8, 10, 0.7, { more: 67, side: 'passes' }],
  [9, 10, 0.8, { more: 44, side: 'passes' }],
  [3, 5, 0.8, { more: 9, side: 'fails' }],
  [4, 5, 0.8, undefined],
  [0, 0, 0.8, undefined],
  [0, 0, 0, undefined],
  [0, 3, 0, { more: 0, side: 'passes' }],
  [4, 5, 1, { more: 0, side: 'fails' }],
  [5, 5, 1, undefined],
  [100, 100, 0.5, { more: 0, side: 'passes' }],
])('%i of %i against %f', (passed, trials, threshold, settled) => {
  expect(trialsToSettle(passed, trials, threshold)).toEqual(settled);
});

test('so many passes in a row settle a threshold', () => {
  expect([0.5, 0.7, 0.8, 0.9].map(passesToSettle)).toEqual([4, 9, 16, 35]);
  expect(passesToSettle(1)).toBeUndefined();
  for (const threshold of [0.5, 0.7, 0.8, 0.9]) {
    const enough = passesToSettle(threshold) ?? 0;
    expect(wilson(enough, enough)?.lower).toBeGreaterThanOrEqual(threshold);
    expect(wilson(enough - 1, enough - 1)?.lower).toBeLessThan(threshold);
  }
});

test('the interval holds the rate, narrows with trials, and settles where it is said to', () => {
  const counts = fc
    .integer({ min: 1, max: 200 })
    .chain((trials) => fc.tuple(fc.constant(trials), fc.nat(trials), fc.integer({ min: 1, max: 99 })));
  fc.assert(
    fc.property(counts, ([trials, passed, percent]) => {
      const { lower = 1, upper = 0 } = wilson(passed, trials) ?? {};
      expect(lower).toBeLessThanOrEqual(passed / trials);
      expect(upper).toBeGreaterThanOrEqual(passed / trials);
      const wider = wilson(passed * 4, trials * 4);
      expect((wider?.upper ?? 1) - (wider?.lower ?? 0)).toBeLessThan(upper - lower);
      const threshold = percent / 100;
      const settled = trialsToSettle(passed, trials, threshold);
      expect(settled === undefined).toBe(passed / trials === threshold);
      const isSettled = lower >= threshold || upper < threshold;
      expect(settled?.more === 0).toBe(isSettled && settled !== undefined);
    }),
  );
});

test('the statistics of a case', () => {
  const none = { trials: 0, passed: 0, passes: [], flaky: false, passesToSettle: 16 };
  expect(caseStatistics(0, 0, 0.8)).toEqual(none);
  const five = caseStatistics(4, 5, 0.5);
  expect(five).toMatchObject({ trials: 5, passed: 4, passRate: 0.8, flaky: true, observedStability: 0.8 });
  expect(five.passes.map(({ k }) => k)).toEqual([1, 2, 3, 5]);
  expect(five.passes.at(-1)).toEqual({ k: 5, passAtK: 1, passHatK: 0 });
  expect(five).not.toHaveProperty('passesToSettle');
  expect(caseStatistics(5, 5, 0.8)).toMatchObject({ flaky: false, observedStability: 1, passesToSettle: 11 });
});
