import { expect, test } from 'vitest';
import { briefJson, jsonWithin, wholeJson } from './json.ts';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { inner: value };
  return value;
}

test.each([
  [null],
  ['a "text"\n'],
  [[]],
  [{}],
  [[1, [true, {}], { a: null, __proto__: 1 }]],
  [JSON.parse('{"__proto__":{"a":1},"constructor":[2]}') as unknown],
])('what fits is what JSON.stringify writes: %j', (value) => {
  for (const indent of [0, 2])
    expect(jsonWithin(value, 1000, indent)).toEqual({
      text: JSON.stringify(value, null, indent),
      whole: true,
    });
});

test('what does not fit is cut, whatever it is, at the cost of what is written', () => {
  const huge = [
    'x'.repeat(5_000_000),
    Array.from({ length: 300_000 }, (_, at) => at),
    { ['name'.repeat(1_000_000)]: 1 },
    nested(200_000),
  ];
  const started = performance.now();
  for (const value of huge) {
    const { text, whole } = jsonWithin(value, 1000, 2);
    expect([whole, text.length <= 1000]).toEqual([false, true]);
  }
  expect(performance.now() - started).toBeLessThan(200);
  expect(briefJson(['one', 'two', 'three'], 8)).toBe('["one","…');
  expect(wholeJson(nested(200_000))).toContain('…');
});
