import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shorten } from './shorten.ts';

test('whatever it is, it fits, and what fits stays as it is but for nulls', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 100, max: 2000 }), (value, most) => {
      const { value: short, left } = shorten(value, most);
      const text = JSON.stringify(short ?? null);
      expect(left ? text.length <= most : text === JSON.stringify(withoutNulls(value))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('long lists and texts are cut and counted', () => {
  const value = { items: Array.from({ length: 500 }, (_, id) => ({ id, text: 'x'.repeat(5000), no: null })) };
  const { value: short, left } = shorten(value, 8000);
  expect(JSON.stringify(short).length).toBeLessThanOrEqual(8000);
  const { items } = short as { items: unknown[] };
  expect(left?.items).toBe(500 - (items.length - 1));
  expect(left?.texts).toBe(items.length - 1);
  expect(items.at(-1)).toBe(`(${left?.items} more)`);
});

test('of a huge list no more is looked at than is kept', () => {
  let looked = 0;
  const list = new Proxy(
    Array.from({ length: 100_000 }, (_, id) => ({ id, text: 'x'.repeat(100) })),
    {
      get: (target, name) => {
        looked++;
        return Reflect.get(target, name) as unknown;
      },
    },
  );
  expect(shorten(list, 8000).left?.items).toBeGreaterThan(99_000);
  expect(looked).toBeLessThan(3000);
});

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutNulls(each)]));
}
