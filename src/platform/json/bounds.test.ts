import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasMoreElements, isDeeper, JsonBounds } from './bounds.ts';

const wide = { elements: 1e9, depth: 10_000, keys: 1e9, batch: 1e9 };

function countOf(value: unknown): { elements: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { elements: 1, depth: 0 };
  const inner = Object.values(value).map(countOf);
  return {
    elements: 1 + inner.reduce((sum, { elements }) => sum + elements, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

function refused(text: string, limits: Partial<typeof wide>, chunk = 7): boolean {
  const bounds = new JsonBounds({ ...wide, ...limits }, (what) => new Error(what));
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += chunk) bounds.feed(bytes.subarray(at, at + chunk));
    return false;
  } catch {
    return true;
  }
}

test('elements and depth are counted whatever the content, the spacing and the chunks', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 8 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      (value, chunk, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : 0);
        const { elements, depth } = countOf(JSON.parse(text));
        // The scanner counts empty containers as if they had one element, so the count may be doubled.
        expect(refused(text, { elements: elements * 2 + 1 }, chunk)).toBe(false);
        expect(refused(text, { depth }, chunk)).toBe(false);
        expect(refused(text, { depth: Math.max(0, depth - 1) }, chunk)).toBe(depth > 0);
      },
    ),
  );
});

test.each([
  ['many empty arrays', `{"a":[${'[],'.repeat(5_000)}[]]}`],
  ['many numbers', `[${'1,'.repeat(5_000)}1]`],
  ['brackets behind a text with quotes', `{"a":"\\"[[[","b":[${'[],'.repeat(5_000)}[]]}`],
  ['brackets behind a line that opens a text', `: "\ndata: [${'[],'.repeat(5_000)}[]]`],
  ['brackets behind a line that ends in an escape', `: "\\\ndata: [${'[],'.repeat(5_000)}[]]`],
  ['the same behind a return', `: "\\\rdata: [${'[],'.repeat(5_000)}[]]`],
])('%s are too many', (_, text) => expect(refused(text, { elements: 5_000 })).toBe(true));

test('brackets inside texts are text', () => {
  expect(refused(JSON.stringify({ a: '[[[{{{,,,'.repeat(10_000) }), { elements: 10, depth: 2 })).toBe(false);
});

test('a batch is counted by its messages', () => {
  expect(refused(`[${'{"a":[1,2]},'.repeat(99)}{}]`, { batch: 100 })).toBe(false);
  expect(refused(`[${'{},'.repeat(100)}{}]`, { batch: 100 })).toBe(true);
});

test('keys are counted for each object by itself', () => {
  const object = (keys: number) => `{${Array.from({ length: keys }, (_, n) => `"k${n}":[1,2]`).join()}}`;
  expect(refused(`[${object(50)},${object(50)},[${'1,'.repeat(500)}1]]`, { keys: 50 })).toBe(false);
  expect(refused(`[${object(51)}]`, { keys: 50 })).toBe(true);
});

test('values are counted no further than asked', () => {
  expect(hasMoreElements({ a: [1, 2, 3] }, 4)).toBe(false);
  expect(hasMoreElements({ a: [1, 2, 3] }, 3)).toBe(true);
});

test('A value is deeper than the default limit from 65 levels on', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  expect([isDeeper(nested(64)), isDeeper({ a: nested(64) }), isDeeper('text'), isDeeper([[]], 1)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
