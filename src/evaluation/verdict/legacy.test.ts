import { expect, test } from 'vitest';
import { legacyResult, summarizeTrials } from './legacy.ts';

function trials(passed: number, failed: number, none = 0): { result: 'passed' | 'failed' | null }[] {
  return [
    ...Array.from({ length: passed }, () => ({ result: 'passed' as const })),
    ...Array.from({ length: failed }, () => ({ result: 'failed' as const })),
    ...Array.from({ length: none }, () => ({ result: null })),
  ];
}

test.each<[number, number, number, number | undefined, string]>([
  [3, 0, 0, undefined, 'passed'],
  [2, 1, 0, undefined, 'failed'],
  [2, 0, 1, undefined, 'failed'],
  [29, 71, 0, 29, 'passed'],
  [2, 1, 0, 66.6, 'passed'],
  [2, 1, 0, 67, 'failed'],
  [0, 1, 0, 0, 'passed'],
  [0, 0, 0, 0, 'failed'],
  [0, 0, 0, undefined, 'failed'],
])(
  '%i passed, %i failed, %i without a result, at least %s percent: %s',
  (passed, failed, none, least, result) => {
    expect(legacyResult(summarizeTrials(trials(passed, failed, none)), least)).toBe(result);
  },
);

test('a summary counts every trial as passed or failed', () => {
  expect(summarizeTrials(trials(1, 1, 2))).toEqual({ total: 4, passed: 1, failed: 3, passRate: 0.25 });
  expect(summarizeTrials([])).toEqual({ total: 0, passed: 0, failed: 0, passRate: 0 });
});
