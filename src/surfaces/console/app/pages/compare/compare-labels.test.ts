import { expect, test } from 'vitest';
import {
  type Compared,
  type Comparison,
  chanceText,
  deltaText,
  inOrder,
  isChanged,
  pointsText,
  stateOfCase,
  summaryText,
} from './compare-labels.ts';

function one(status: Compared['status'], more: object = {}): Compared {
  return { status, difference: null, configChanged: false, ...more } as Compared;
}

const cases = [one('unchanged_passed'), one('fixed'), one('regressed'), one('unchanged_failed')];

test('what changed, in one sentence and the worst first', () => {
  expect(summaryText({ cases } as Comparison)).toBe('1 regressed, 1 fixed; 2 cases unchanged.');
  expect(summaryText({ cases: cases.slice(0, 1) } as Comparison)).toBe('Nothing changed: 1 case unchanged.');
  expect(inOrder(cases).map(({ status }) => status)).toEqual([
    'regressed',
    'unchanged_failed',
    'fixed',
    'unchanged_passed',
  ]);
});

test('of a case that was edited it is said whether it unchanged', () => {
  const [base, compare] = [{ outcome: 'failed' }, { outcome: 'passed' }];
  expect(stateOfCase(one('changed', { base, compare })).words).toBe('edited, now passed');
  expect(stateOfCase(one('changed', { base, compare: base })).words).toBe('edited, still failed');
  expect(stateOfCase(one('fixed')).words).toBe('fixed');
});

test('a case is changed by its outcome, by significant, or by what it asks', () => {
  const more = { difference: { significant: true } };
  const changed = [...cases, one('unchanged_passed', more), one('unchanged_passed', { configChanged: true })];
  expect(changed.map(isChanged)).toEqual([false, true, true, false, true, true]);
});

test('differences are said with their sign and whether they may be chance', () => {
  expect([0.125, -0.5, 0].map(pointsText)).toEqual(['+12.5 points', '−50 points', 'no change']);
  expect(chanceText({ significant: true, p: 0.2, adjustedP: 0.0001 })).toBe('significant, p < 0.001');
  expect(chanceText({ significant: false, p: 0.42 })).toBe('not significant, p = 0.42');
  expect(chanceText({ significant: false, p: null })).toBe('too few trials');
  const show = (value: number): string => `${value} ms`;
  expect(deltaText({ base: 100, compare: 70, delta: -30, percentDelta: -30 }, show)).toBe('−30 ms (−30%)');
  expect(deltaText({ base: 0, compare: 5, delta: 5, percentDelta: null }, show)).toBe('+5 ms');
  expect(deltaText({ base: null, compare: 5, delta: null, percentDelta: null }, show)).toBeUndefined();
});
