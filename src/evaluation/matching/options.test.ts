import { expect, test } from 'vitest';
import { publicMatchOptions, resolveMatchOptions, type WrittenMatchOptions } from './options.ts';

test('without any options, any order, any more calls and partial arguments will do', () => {
  expect(resolveMatchOptions()).toEqual({ order: 'any', extra: null, arguments: 'partial' });
});

test('each field is taken from the last layer that has it', () => {
  expect(
    resolveMatchOptions(
      { toolCallOrder: 'strict', extraToolCalls: 1, arguments: 'exact' },
      { maxExtraToolCalls: null },
      { argumentMatching: 'ignore' },
    ),
  ).toEqual({ order: 'exact', extra: null, arguments: 'ignore' });
  expect(resolveMatchOptions({ extraToolCalls: 2 }, null, undefined).extra).toBe(2);
});

test.each<[WrittenMatchOptions, object]>([
  [{ toolCallOrder: 'ignore' }, { toolCallOrder: 'any' }],
  [{ toolCallOrder: 'superset' }, { toolCallOrder: 'in-order' }],
  [{ toolCallOrder: 'strict' }, { toolCallOrder: 'exact' }],
  [{ toolCallOrder: 'in-order' }, { toolCallOrder: 'in-order' }],
  [{ maxExtraToolCalls: 3 }, { extraToolCalls: 3 }],
  [{ maxExtraToolCalls: null }, { extraToolCalls: 'unlimited' }],
  [{ allowExtraToolCalls: false }, { extraToolCalls: 0 }],
  [{ allowExtraToolCalls: true }, { extraToolCalls: 'unlimited' }],
  [{ argumentMatching: 'exact' }, { arguments: 'exact' }],
  [{}, {}],
])('%j is answered as %j', (written, shown) => {
  expect(publicMatchOptions(written)).toEqual(shown);
  expect(resolveMatchOptions(publicMatchOptions(written))).toEqual(resolveMatchOptions(written));
});
