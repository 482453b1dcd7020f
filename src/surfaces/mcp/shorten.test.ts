import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleJson } from '../../platform/quoted.ts';
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

test('characters that are written out count as what they become', () => {
  for (const value of ['\u200b'.repeat(7000), { ['\u{e0041}'.repeat(3000)]: '\u202e'.repeat(9000) }])
    expect(visibleJson(shorten(value, 8000).value).length).toBeLessThanOrEqual(8000);
});

test('a larger answer shows more of one long text, and a long name does not hide its neighbours', () => {
  const text = 'x'.repeat(200_000);
  expect(visibleJson(shorten(text, 100_000).value).length).toBeGreaterThan(50_000);
  expect(shorten({ [text]: 1, near: 'here' }, 500).value).toMatchObject({ near: 'here' });
});

test('the time does not grow with what is left out', () => {
  const bush = (depth: number): unknown =>
    depth === 0 ? 'leaf' : Array.from({ length: 10 }, () => bush(depth - 1));
  const value = Array.from({ length: 50 }, () => bush(4));
  const reads = countingReads(value);
  shorten(reads.value, 8000);
  expect(reads.count()).toBeLessThan(50_000);
});

/** Counts the reads of list elements in a value, which has 550,000. */
function countingReads(value: unknown): { value: unknown; count: () => number } {
  let count = 0;
  const watched = (inner: unknown): unknown =>
    Array.isArray(inner)
      ? new Proxy(inner, {
          get: (target, name) => {
            count++;
            return watched(Reflect.get(target, name));
          },
        })
      : inner;
  return { value: watched(value), count: () => count };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutNulls(each)]));
}
