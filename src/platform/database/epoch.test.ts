import { expect, test } from 'vitest';
import { epochMilliseconds } from './connect.ts';

test.each([
  ['2026-11-15 02:05:08.123+00', Date.UTC(2026, 10, 15, 2, 5, 8, 123)],
  ['2026-11-15 02:05:08.1+00', Date.UTC(2026, 10, 15, 2, 5, 8, 100)],
  ['2026-11-15 02:05:08+00', Date.UTC(2026, 10, 15, 2, 5, 8)],
  ['1969-12-31 23:59:59.9996+00', 0],
  ['2024-02-29 23:59:59.999499+00', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
  ['2026-11-15 02:05:08.5+02', Date.UTC(2026, 10, 15, 0, 5, 8, 500)],
])('the time %s is read', (text, milliseconds) => {
  expect(epochMilliseconds(text)).toBe(milliseconds);
});
