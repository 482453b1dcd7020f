import { expect, test } from 'vitest';
import { percentsIn } from './percents.ts';

test.each([
  ['80', [80]],
  ['90, 50 %, 90', [50, 90]],
  ['', []],
  ['0', undefined],
  ['100', undefined],
  ['half', undefined],
  ['12.5', undefined],
  ['1 2 3 4 5 6 7 8 9 10 11', undefined],
])('%j are the percents %j', (typed, percents) => {
  expect(percentsIn(typed)).toEqual(percents);
});
