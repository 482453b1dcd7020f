import { expect, test } from 'vitest';
import { standbysNeeded } from './database.ts';

test.each([
  ['', 0],
  ['*', 1],
  ['one, two', 1],
  ['FIRST 2 (one, two, three)', 2],
  ['any 3 (one, "two (2)", three)', 3],
  ['2 (one, two)', 2],
  ['"2 (odd)", two', 1],
])('%s waits for %i', (wanted, needed) => {
  expect(standbysNeeded(wanted)).toBe(needed);
});
