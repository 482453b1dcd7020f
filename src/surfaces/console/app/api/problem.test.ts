import { expect, test } from 'vitest';
import { factsOf, isMissingPart } from './problem.ts';

test.each([
  ['Failed to fetch', 'UNREACHABLE'],
  ['NetworkError when attempting to fetch resource.', 'UNREACHABLE'],
  ['Load failed', 'UNREACHABLE'],
  ['Failed to fetch dynamically imported module: http://127.0.0.1/console/assets/a.js', 'PART_MISSING'],
  ["Cannot read properties of undefined (reading 'fetch')", 'PAGE_ERROR'],
  ['x is not a function', 'PAGE_ERROR'],
])('a TypeError that says %s is %s', (message, code) => {
  expect(factsOf(new TypeError(message))).toMatchObject({ code, again: true });
  expect(isMissingPart(new TypeError(message))).toBe(code === 'PART_MISSING');
});

test('whatever is thrown has a message of a length that can be shown', () => {
  for (const thrown of [undefined, null, 'text', {}, new Error('x'.repeat(100_000))])
    expect(factsOf(thrown).message.length).toBeLessThan(600);
});
