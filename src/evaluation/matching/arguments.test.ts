import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ArgumentMode, argumentTest } from './arguments.ts';

type Arguments = Record<string, unknown>;

test.each<[ArgumentMode, Arguments, Arguments, boolean]>([
  ['partial', {}, { a: 1 }, true],
  ['partial', { a: 1 }, { a: 1, b: 2 }, true],
  ['partial', { a: 1 }, { b: 2 }, false],
  ['partial', { a: 1 }, { a: '1' }, false],
  ['partial', { a: { x: 1, y: [1, 2] } }, { a: { y: [1, 2], x: 1 } }, true],
  ['partial', { a: { x: 1 } }, { a: { x: 1, y: 2 } }, false],
  ['partial', { a: [1, 2] }, { a: [2, 1] }, false],
  ['partial', { a: null }, { a: null }, true],
  ['partial', { a: null }, {}, false],
  ['partial', { a: 'any' }, { a: null }, true],
  ['partial', { a: 'any' }, {}, false],
  ['partial', { a: ' STRING ' }, { a: '' }, true],
  ['partial', { a: 'string' }, { a: 5 }, false],
  ['partial', { a: 'number' }, { a: 0 }, true],
  ['partial', { a: 'boolean' }, { a: false }, true],
  ['partial', { a: 'object' }, { a: {} }, true],
  ['partial', { a: 'object' }, { a: [] }, false],
  ['partial', { a: 'object' }, { a: null }, false],
  ['partial', { a: 'array' }, { a: [] }, true],
  ['partial', { a: 'null' }, { a: null }, true],
  ['partial', { a: { b: 'string' } }, { a: { b: 'x' } }, false],
  ['partial', { a: 'constructor' }, { a: 'x' }, false],
  ['partial', { toString: 'any' }, {}, false],
  ['exact', { a: 'string' }, { a: 'x' }, false],
  ['exact', { a: 'string' }, { a: 'string' }, true],
  ['exact', { a: 1 }, { a: 1, b: 2 }, false],
  ['exact', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['ignore', { a: 1 }, { b: 2 }, true],
])('%s: %j and %j', (mode, expected, actual, fits) => {
  expect(argumentTest()(expected, actual, mode)).toBe(fits);
});

const words = ['any', 'string', 'number', 'boolean', 'object', 'array', 'null'];
const value = fc.jsonValue({ maxDepth: 3 });
const noPlaceholder = fc.dictionary(
  fc.string(),
  value.filter((text) => typeof text !== 'string' || !words.includes(text.trim().toLowerCase())),
);

test('partial accepts whatever exact accepts, and more keys besides', () => {
  fc.assert(
    fc.property(noPlaceholder, fc.dictionary(fc.string(), value), (expected, more) => {
      const test = argumentTest();
      const copy = JSON.parse(JSON.stringify(expected)) as Arguments;
      expect(test(copy, JSON.parse(JSON.stringify(copy)) as Arguments, 'exact')).toBe(true);
      expect(test(copy, { ...more, ...copy }, 'partial')).toBe(true);
    }),
  );
});

test('arguments too deep to be walked are nobody’s equal, and nothing overflows', () => {
  let deep: unknown = [];
  for (let at = 0; at < 50_000; at++) deep = [deep];
  expect(argumentTest()({ a: deep }, { a: deep }, 'exact')).toBe(false);
  expect(argumentTest()({ a: deep }, { a: [deep] }, 'partial')).toBe(false);
  expect(argumentTest()({ a: 'array' }, { a: deep }, 'partial')).toBe(true);
});
