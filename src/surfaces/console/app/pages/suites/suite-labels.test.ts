import { expect, test } from 'vitest';
import { gateLabels, intervalLabel, policyText, type Suite, scheduleState } from './suite-labels.ts';

test.each([
  [5, 'every 5 minutes'],
  [60, 'every hour'],
  [720, 'every 12 hours'],
  [1440, 'every day'],
  [90, 'every 90 minutes'],
])('%i minutes', (minutes, words) => expect(intervalLabel(minutes)).toBe(words));

function suite(settings: object, schedule: object = {}): Suite {
  return { settings: { qualityGate: null, ...settings }, schedule } as Suite;
}

test('how a suite decides, in words', () => {
  const v2 = suite({ policy: 'v2', verdictPolicyDefaults: { repetitions: 5, passThreshold: 0.8 } });
  expect(policyText(v2)).toBe('each case is tried 5 times and must pass at least 80% of the time');
  expect(policyText(suite({ policy: 'legacy', minimumAccuracy: 90 }))).toBe('90% of all trials pass');
  expect(gateLabels(v2)).toEqual([]);
  const qualityGate = { maximumPassRateDrop: 0.05, noGatingScoreErrors: true };
  expect(gateLabels(suite({ qualityGate }))).toEqual([
    'pass rate at most 5 percentage points below a baseline that is not set',
    'no required score missing because of an error',
  ]);
  for (const [baseline, words] of [
    [{ kind: 'previous' }, 'the previous run'],
    [{ kind: 'branch', branch: 'main' }, 'the branch main'],
    [{ kind: 'commit_sha', commitSha: 'abc' }, 'commit abc'],
  ] as const)
    expect(gateLabels(suite({ qualityGate: { maximumPassRateDrop: 0.05, baseline } }))).toEqual([
      `pass rate at most 5 percentage points below ${words}`,
    ]);
});

test('a schedule that pauses says why', () => {
  const at = { enabled: true, intervalMinutes: 60 };
  expect(scheduleState(suite({}, { ...at, state: 'active' })).words).toBe('every hour');
  expect(scheduleState(suite({}, { ...at, state: 'paused_quota' }))).toEqual({
    state: 'attention',
    words: 'paused: spend cap reached',
  });
});
