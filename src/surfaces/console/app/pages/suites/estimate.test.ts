import { expect, test } from 'vitest';
import { estimateOf } from './estimate.ts';
import type { PastRun, States } from './past.ts';
import type { Suite } from './suite-labels.ts';

type Given = Parameters<typeof estimateOf>[0];

const suite = {
  settings: { policy: 'v2', verdictPolicyDefaults: { repetitions: 4, passThreshold: 1 } },
} as Suite;
const cases = [
  { id: 'a', models: [] },
  { id: 'b', models: [], repetitions: 1 },
] as unknown as Given['cases'];
const past = [
  {
    states: {
      cases: [
        { testCaseId: 'a', model: 'one' },
        { testCaseId: 'b', model: 'one' },
      ],
      items: [
        { case: 0, durationMs: 100, tokensUsed: 1000, estimatedCostUsd: 0.1 },
        { case: 0, durationMs: 300, tokensUsed: 1000, estimatedCostUsd: 0.3 },
        { case: 1, durationMs: 50, tokensUsed: 500, estimatedCostUsd: 0.05 },
      ],
    } as States,
  },
] as PastRun[];
const model = (more: object) => ({ id: 'one', ...more }) as Given['model'];

test('with the same model: what its trials cost before, in the middle', () => {
  const { cost, ...rest } = estimateOf({ suite, cases, past, override: undefined, model: model({}) });
  expect(rest).toEqual({ cases: 2, trials: 5, ms: 850, unknown: 0 });
  expect(cost?.least).toBeCloseTo(0.85);
  expect(cost?.most).toBeCloseTo(0.85);
});

test('with another model: between the cheaper and the dearer of its prices; offline nothing', () => {
  const other = model({ id: 'two', prices: { input: 1, output: 5 } });
  const { cost, trials } = estimateOf({ suite, cases, past, override: 2, model: other });
  expect(trials).toBe(4);
  expect(cost?.least).toBeCloseTo(0.003);
  expect(cost?.most).toBeCloseTo(0.015);
  const offline = estimateOf({ suite, cases, past: [], override: 1, model: model({ offline: true }) });
  expect(offline).toEqual({ cases: 2, trials: 2, cost: { least: 0, most: 0 }, ms: undefined, unknown: 2 });
});

test('what nobody knows is not zero', () => {
  const some = [...cases, { id: 'new', models: [] }] as unknown as Given['cases'];
  const { cost, unknown } = estimateOf({ suite, cases: some, past, override: 1, model: model({}) });
  expect([cost, unknown]).toEqual([undefined, 1]);
});
