import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

const rates = fc.record({
  perMinute: fc.integer({ min: 1, max: 6000 }),
  burst: fc.integer({ min: 1, max: 100 }),
});

test('whatever the arrivals, never more than the burst and the refill get through', () => {
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 300 }), (rate, gaps) => {
      const buckets = new TokenBuckets(rate);
      let now = 1_000_000;
      let admitted = 0;
      for (const gap of gaps) {
        now += gap;
        if (buckets.take('k', now) === 0) admitted++;
        expect(admitted).toBeLessThanOrEqual(
          rate.burst + ((now - 1_000_000) * rate.perMinute) / 60_000 + 1e-6,
        );
      }
    }),
  );
});

test('the wait it tells is exactly long enough', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 200 }), (rate, takes) => {
      const buckets = new TokenBuckets(rate);
      let wait = 0;
      for (let i = 0; i < takes && wait === 0; i++) wait = buckets.take('k', 0);
      if (wait === 0) return;
      expect(buckets.take('k', wait)).toBe(0);
    }),
  );
});

test('a clock set back takes nothing away', () => {
  const buckets = new TokenBuckets({ perMinute: 60, burst: 2 });
  expect(buckets.take('k', 10_000)).toBe(0);
  expect(buckets.take('k', 0)).toBe(0);
  expect(buckets.take('k', 0)).toBeGreaterThan(0);
});

test('full buckets are forgotten, others kept', () => {
  const buckets = new TokenBuckets({ perMinute: 60, burst: 2 });
  buckets.take('a', 0);
  buckets.collectSpent(0);
  buckets.sweep(500);
  expect([...buckets.collectSpent(500).keys()]).toEqual(['a']);
  buckets.sweep(2_000);
  expect(buckets.collectSpent(2_000).size).toBe(0);
});
