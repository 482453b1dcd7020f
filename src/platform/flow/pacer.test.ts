import { expect, test } from 'vitest';
import { ConnectionPacers, Pacer } from './pacer.ts';

test('a burst is free, then the rate holds, and answers cost nothing', () => {
  let now = 0;
  const pace = new Pacer({ burst: 10, perSecond: 100 }, () => now);
  expect(pace.take(10, 0)).toBe(0);
  expect(pace.take(1, 0)).toBe(10);
  now = 10;
  expect(pace.take(5, 0)).toBe(50);
  now = 1_000;
  for (let n = 0; n < 1_000; n++) {
    expect(pace.take(1, 0)).toBe(0);
    pace.refund();
  }
});

test('bytes count too', () => {
  const pace = new Pacer({ burst: 10, perSecond: 100 }, () => 0);
  expect(pace.take(1, 64 * 1024 * 20)).toBeGreaterThan(0);
});

test('a flood of one connection does not delay another of the same organization', () => {
  const pacers = new ConnectionPacers();
  const flooded = pacers.create('a');
  expect(flooded.take(100_000, 0)).toBeGreaterThan(10_000);
  expect(pacers.create('a').take(100, 0)).toBe(0);
});

test('those that are slowed down share one rate', () => {
  const pacers = new ConnectionPacers();
  const [first, second] = [pacers.create('a'), pacers.create('a')];
  const alone = first.take(1_600, 0);
  expect(second.take(1_600, 0)).toBeGreaterThan(1.8 * alone);
  expect(pacers.create('b').take(1_600, 0)).toBeLessThan(1.2 * alone);
});
