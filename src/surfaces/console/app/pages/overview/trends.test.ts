import { expect, test } from 'vitest';
import { csvOf, trendsOf } from './trends.ts';

const run = (
  runNumber: number,
  passed: number,
  total: number,
  status = 'completed' as 'completed' | 'running',
) => ({
  id: `run_${runNumber}`,
  suiteId: 'a',
  runNumber,
  status,
  summary: { passed, total, failed: total - passed, passRate: passed / Math.max(1, total) },
  createdAt: runNumber,
});

test('what measured nothing and what still runs is left out', () => {
  const trends = trendsOf([run(3, 1, 2, 'running'), run(2, 4, 4), run(1, 0, 0), run(0, 2, 4)]);
  expect(trends.get('a')?.map(({ runNumber }) => runNumber)).toEqual([0, 2]);
  expect(trends.get('a')?.[1]?.lower).toBeCloseTo(0.51, 2);
});

test('names cannot become formulas', () => {
  const [point] = trendsOf([run(1, 1, 2)]).get('a') ?? [];
  expect(csvOf([{ ...point, suite: '=1+"x"' } as never]).split('\n')[1]).toMatch(/^"'=1\+""x""",1,1970/);
});
