import { expect, test } from 'vitest';
import { differencesOf } from './differences.ts';

test('fields are told by their path, lists as a whole, and what is missing is undefined', () => {
  const before = { name: 'a', model: { id: 'm', t: 0 }, ids: ['x', 'y'], gone: null };
  const after = { name: 'a', model: { t: 0.5, id: 'm' }, ids: ['y', 'x'], come: false };
  expect(differencesOf(before, after)).toEqual([
    { path: 'model.t', before: 0, after: 0.5 },
    { path: 'ids', before: ['x', 'y'], after: ['y', 'x'] },
    { path: 'gone', before: null, after: undefined },
    { path: 'come', before: undefined, after: false },
  ]);
});

test('the order of keys is no difference, also within lists', () => {
  expect(differencesOf([{ a: 1, b: 2 }], [{ b: 2, a: 1 }])).toEqual([]);
  expect(differencesOf({ a: {} }, { a: {} })).toEqual([]);
  expect(differencesOf({ a: {} }, { a: [] })).toHaveLength(1);
});
