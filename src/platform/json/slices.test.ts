import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSmall, jsonSlices } from './slices.ts';

async function written(value: unknown): Promise<string> {
  let text = '';
  for await (const slice of jsonSlices(value)) text += slice;
  return text;
}

test('slices put together are what JSON.stringify writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(await written(plain)).toBe(JSON.stringify(plain));
    }),
  );
  const withGaps = { a: undefined, b: [undefined, 1], c: { d: undefined } };
  expect(await written(withGaps)).toBe(JSON.stringify(withGaps));
});

test('long texts are cut between characters, whatever is at the edge', async () => {
  for (const unit of ['a', 'ü', '"', '\n', '😀', 'a😀', '\ud83d'])
    for (const extra of [0, 1, 2]) {
      const text = 'x'.repeat(extra) + unit.repeat(100_000);
      expect(await written([text])).toBe(JSON.stringify([text]));
    }
});

test('many elements and deep ones are written with pauses, so that others get their turn', async () => {
  const many = Array.from({ length: 200_000 }, (_, i) => ({ i }));
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  expect(await written(many)).toBe(JSON.stringify(many));
  clearInterval(counting);
  expect(turns).toBeGreaterThan(3);
  let deep: unknown = 1;
  for (let level = 0; level < 5_000; level++) deep = [deep];
  expect(await written(deep)).toBe(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`);
});

test.each([
  ['a short text', 'x', true],
  ['a long text', 'x'.repeat(200_000), false],
  ['many elements', new Array(3_000).fill(0), false],
  ['a few', { a: [1, 2, { b: 'c' }] }, true],
])('%s is small: %s', (_, value, small) => expect(isSmall(value)).toBe(small));
