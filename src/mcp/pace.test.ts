import { expect, test } from 'vitest';
import { Pace, Paces } from './pace.ts';

test('a burst is free, then the rate holds, and answers cost nothing', () => {
  let now = 0;
  const pace = new Pace({ burst: 10, perSecond: 100 }, () => now);
  expect(pace.take(10, 0)).toBe(0);
  expect(pace.take(1, 0)).toBe(10);
  now = 10;
  expect(pace.take(5, 0)).toBe(50);
  now = 1_000;
  for (let n = 0; n < 1_000; n++) {
    expect(pace.take(1, 0)).toBe(0);
    pace.answered();
  }
});

test('bytes count too', () => {
  const pace = new Pace({ burst: 10, perSecond: 100 }, () => 0);
  expect(pace.take(1, 64 * 1024 * 20)).toBeGreaterThan(0);
});

test('a flood of one connection does not delay another of the same organization', () => {
  const paces = new Paces();
  const flooded = paces.of('a');
  expect(flooded.take(100_000, 0)).toBeGreaterThan(10_000);
  expect(paces.of('a').take(100, 0)).toBe(0);
});

test('those that are slowed down share one rate', () => {
  const paces = new Paces();
  const [first, second] = [paces.of('a'), paces.of('a')];
  const alone = first.take(1_600, 0);
  expect(second.take(1_600, 0)).toBeGreaterThan(1.8 * alone);
  expect(paces.of('b').take(1_600, 0)).toBeLessThan(1.2 * alone);
});
