import { expect, test } from 'vitest';
import { accessLostText, modes } from './modes.ts';

test('somebody is out exactly where fewer are let in', () => {
  const told = modes.map(({ value: before }) =>
    modes.map(({ value: after }) => accessLostText(before, after) !== undefined),
  );
  expect(told).toEqual([
    [false, false, false],
    [true, false, false],
    [true, true, false],
  ]);
});
