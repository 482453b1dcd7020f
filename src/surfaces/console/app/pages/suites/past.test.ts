import { expect, test } from 'vitest';
import { figuresOf, outcomesOf, type PastRun, quantile, type Run, type States } from './past.ts';

function past(id: string, results: [caseId: string, result: 'passed' | 'failed' | null][]): PastRun {
  const cases = [...new Set(results.map(([caseId]) => caseId))];
  const states: States = {
    cases: cases.map((testCaseId) => ({ testCaseId, title: testCaseId, model: 'm', provider: 'p' })),
    tools: [],
    items: results.map(([caseId, result], at) => ({
      id: `${id}-${at}`,
      case: cases.indexOf(caseId),
      iterationNumber: at + 1,
      status: result === null ? 'timed_out' : 'completed',
      result,
      durationMs: 10 * (results.length - at),
      tokensUsed: null,
      estimatedCostUsd: result === 'failed' ? 0.5 : null,
      tools: [],
    })),
  };
  return { run: { id, completedAt: 1 } as Run, states };
}

const runs = [
  past('r1', [
    ['a', 'passed'],
    ['a', 'passed'],
    ['b', 'failed'],
  ]),
  past('r2', [
    ['a', 'passed'],
    ['a', 'failed'],
    ['c', null],
  ]),
];

test('each case has what became of it in each run, and a trial that shows it', () => {
  const outcomes = outcomesOf(runs);
  const states = [...outcomes].map(([id, row]) => [id, row.map((one) => one?.state)]);
  expect(states).toEqual([
    ['a', ['passed', 'flaky']],
    ['b', ['failed', undefined]],
    ['c', [undefined, 'notMeasured']],
  ]);
  expect(outcomes.get('a')?.[1]).toMatchObject({ passed: 1, judged: 2, trialId: 'r2-1' });
});

test('figures of a run: what could be judged, times in order, cost where any is known', () => {
  expect(figuresOf([...runs, { ...(runs[0] as PastRun), states: undefined }])).toMatchObject([
    { passed: 2, trials: 3, times: [10, 20, 30], cost: 0.5 },
    { passed: 1, trials: 2, times: [10, 20, 30], cost: 0.5 },
  ]);
});

test('quantiles lie between values', () => {
  expect([0, 0.5, 0.95, 1].map((share) => quantile([10, 20, 30], share))).toEqual([10, 20, 29, 30]);
  expect(quantile([], 0.5)).toBeUndefined();
});
