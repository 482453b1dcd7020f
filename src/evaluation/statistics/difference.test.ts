import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  benjaminiHochberg,
  type Count,
  chiSquareP,
  cochranMantelHaenszel,
  fisher,
  holm,
  mcnemar,
  newcombe,
  type Pair,
  suiteDifference,
} from './difference.ts';

const count = (passed: number, trials: number): Count => ({ passed, trials });

test.each([
  [5, 5, 1, 5, 0.047619],
  [5, 5, 2, 5, 0.166667],
  [10, 10, 5, 10, 0.032508],
  [3, 3, 0, 3, 0.1],
  [0, 5, 0, 5, 1],
])('Fisher: %i of %i beside %i of %i', (a, n, b, m, p) => {
  expect(fisher(count(a, n), count(b, m))).toBeCloseTo(p, 6);
  expect(fisher(count(b, m), count(a, n))).toBeCloseTo(p, 6);
});

test('Fisher says nothing where there was no trial', () => {
  expect(fisher(count(0, 0), count(1, 1))).toBeUndefined();
});

test.each([
  [48, 80, 56, 70, 0.0524, 0.3339],
  [7, 10, 10, 10, -0.0376, 0.6032],
])('Newcombe: from %i of %i to %i of %i', (a, n, b, m, lower, upper) => {
  const interval = newcombe(count(a, n), count(b, m));
  expect(interval?.lower).toBeCloseTo(lower, 4);
  expect(interval?.upper).toBeCloseTo(upper, 4);
});

test.each([
  [0, 5, 0.0625],
  [0, 6, 0.03125],
  [1, 8, 0.039063],
  [2, 10, 0.038574],
])('McNemar: %i and %i', (fixed, regressed, p) => {
  expect(mcnemar(fixed, regressed)).toBeCloseTo(p, 6);
});

test('Cochran, Mantel and Haenszel', () => {
  const pairs: Pair[] = [
    { base: count(5, 5), compare: count(3, 5) },
    { base: count(4, 5), compare: count(4, 5) },
    { base: count(3, 5), compare: count(1, 5) },
    { base: count(5, 5), compare: count(4, 5) },
  ];
  expect(cochranMantelHaenszel(pairs)).toBeCloseTo(3.4615, 4);
  expect(chiSquareP(cochranMantelHaenszel(pairs))).toBeCloseTo(0.0628, 4);
});

const several = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216];
const rounded = (ps: number[]) => ps.map((p) => Number(p.toFixed(4)));

test('corrections for many cases', () => {
  expect(rounded(benjaminiHochberg(several))).toEqual([
    0.01, 0.04, 0.084, 0.084, 0.084, 0.1, 0.1057, 0.216, 0.216, 0.216,
  ]);
  expect(rounded(holm(several))).toEqual([
    0.01, 0.072, 0.312, 0.312, 0.312, 0.312, 0.312, 0.615, 0.615, 0.615,
  ]);
  // Adjusted values keep the order of the cases.
  expect(holm([0.04, 0.001])).toEqual([0.04, 0.002]);
  expect(holm([])).toEqual([]);
});

test('the test of a whole suite is the one that fits its trials', () => {
  const pair = (a: number, n: number, b: number, m: number): Pair => ({
    base: count(a, n),
    compare: count(b, m),
  });
  expect(suiteDifference([])).toBeUndefined();
  expect(suiteDifference([pair(0, 0, 1, 1)])).toBeUndefined();
  expect(suiteDifference([pair(4, 5, 4, 5), pair(3, 5, 3, 5)])).toMatchObject({
    change: 0,
    p: expect.closeTo(1, 6),
    test: 'stratified',
  });
  // Two cases that changed from all passed to all failed, with two trials each: p must not be 0, although the variance
  // is.
  expect(suiteDifference([pair(2, 2, 0, 2), pair(2, 2, 0, 2)])).toEqual({
    change: -1,
    p: expect.closeTo(0.014306, 6),
    test: 'cochran-mantel-haenszel',
  });
  expect(suiteDifference(Array(6).fill(pair(1, 1, 0, 1)) as Pair[])).toEqual({
    change: -1,
    p: expect.closeTo(0.03125, 6),
    test: 'mcnemar',
  });
  expect(suiteDifference([pair(1, 1, 0, 1), pair(5, 5, 1, 5)])?.test).toBe('cochran-mantel-haenszel');
});

const counts = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.nat())
  .map(([trials, some]) => count(some % (trials + 1), trials));

test('a p-value is a probability, does not depend on the order of the runs, and 1 for equal rates', () => {
  fc.assert(
    fc.property(counts, counts, (a, b) => {
      const p = fisher(a, b) as number;
      expect(p).toBeGreaterThan(0);
      expect(p).toBeLessThanOrEqual(1);
      expect(fisher(b, a)).toBeCloseTo(p, 6);
      expect(fisher(a, a)).toBeCloseTo(1, 6);
      const interval = newcombe(a, b);
      const change = b.passed / b.trials - a.passed / a.trials;
      expect(interval?.lower).toBeLessThanOrEqual(change + 1e-9);
      expect(interval?.upper).toBeGreaterThanOrEqual(change - 1e-9);
    }),
  );
});

test('whatever is compared, a p-value is at most 1, and 1 where nothing changed', () => {
  const pairs = fc.array(fc.record({ base: counts, compare: counts }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(pairs, fc.boolean(), (some, single) => {
      const once = ({ passed, trials }: { passed: number; trials: number }) =>
        single ? count(passed * 2 > trials ? 1 : 0, 1) : count(passed, trials);
      const compared = some.map(({ base, compare }) => ({ base: once(base), compare: once(compare) }));
      const p = suiteDifference(compared)?.p as number;
      expect(p).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
      const same = compared.map(({ base }) => ({ base, compare: base }));
      expect(suiteDifference(same)?.p).toBeCloseTo(1, 6);
      expect(suiteDifference(same)?.p).toBeLessThanOrEqual(1);
    }),
  );
  for (let value = 0; value < 0.01; value += 0.000_1) expect(chiSquareP(value)).toBeLessThanOrEqual(1);
});

test('a correction never makes a difference more certain, and keeps the order', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }), (ps) => {
      for (const correct of [holm, benjaminiHochberg]) {
        const corrected = correct(ps);
        expect(corrected).toHaveLength(ps.length);
        ps.forEach((p, at) => expect(corrected[at]).toBeGreaterThanOrEqual(p - 1e-12));
        const order = ps.map((_, at) => at).sort((a, b) => (ps[a] as number) - (ps[b] as number));
        const inOrder = order.map((at) => corrected[at] as number);
        inOrder
          .slice(1)
          .forEach((p, at) => expect(p).toBeGreaterThanOrEqual((inOrder[at] as number) - 1e-12));
      }
    }),
  );
});
