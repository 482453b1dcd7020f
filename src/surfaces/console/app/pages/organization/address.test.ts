import { expect, test } from 'vitest';
import { auditSearch, beginOf, endOf } from './address.ts';

test('days of an address are days, or left out', () => {
  expect(auditSearch({ from: '2026-11-01', to: '2026-13-01', action: 'key.*', more: 1 })).toEqual({
    from: '2026-11-01',
    action: 'key.*',
  });
  expect(auditSearch({ from: 'yesterday', to: 20261101 })).toEqual({});
});

test('the last day is included', () => {
  expect(new Date(beginOf('2026-11-01') as number).toISOString()).toBe('2026-11-01T00:00:00.000Z');
  expect(new Date(endOf('2026-11-30') as number).toISOString()).toBe('2026-12-01T00:00:00.000Z');
  expect(endOf(undefined)).toBeUndefined();
});
