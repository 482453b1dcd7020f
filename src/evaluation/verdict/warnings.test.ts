import { expect, test } from 'vitest';
import { notRunWarning, runWarnings, trialWarning } from './warnings.ts';

const good = { title: 'good', passed: 3, trials: 3, threshold: 1 };

test('a run without anything to warn of has no warnings', () => {
  expect(runWarnings([good], true)).toEqual([]);
  expect(runWarnings([{ ...good, passed: 0 }], false)).toEqual([]);
  expect(runWarnings([{ ...good, passed: 0, threshold: 0 }], false)).toEqual([]);
  expect(notRunWarning(8, 8)).toEqual([]);
});

test('a warning says of how many trials of which cases, and names few of many', () => {
  const unchecked = (title: string) => ({ ...good, title, warnings: { nothing_checked: 2 } });
  const [few] = runWarnings([good, unchecked('a')], true);
  expect(few).toMatchObject({ code: 'nothing_checked' });
  expect(few?.message).toMatch(/^Nothing was checked in 2 passed trials of "a": no gating check/);
  const [many] = runWarnings(['a', 'b', 'c', 'd', 'e'].map(unchecked), true);
  expect(many?.message).toMatch(/in 10 passed trials of "a", "b", "c" and 2 more cases:/);
  expect(trialWarning('nothing_checked').message).toMatch(/^Nothing was checked: no gating check/);
});

test('a run that passes because nothing has to pass says so', () => {
  const [warning] = runWarnings([good, { ...good, title: 'poor', passed: 0, threshold: 0 }], true);
  expect(warning).toEqual({
    code: 'no_trial_passed',
    message: 'No trial of "poor" passed. The run counts as passed because a pass rate of 0% is enough.',
  });
});

test('a run that passes without the judge that its suite wants says so', () => {
  const judgeOnlyAdvised = true;
  expect(runWarnings([good], true, { judgeOnlyAdvised })).toMatchObject([{ code: 'judge_only_advised' }]);
  expect(runWarnings([good], false, { judgeOnlyAdvised })).toEqual([]);
});

test('a run that passes without some of its trials says so', () => {
  const cut = { ...good, title: 'cut', passed: 8, trials: 8, excluded: 2 };
  expect(runWarnings([good, cut], true)).toEqual([
    {
      code: 'trials_excluded',
      message:
        '2 of 10 trials of "cut" did not complete or could not be judged. The pass rate excludes them.',
    },
  ]);
  expect(runWarnings([good, cut], false)).toEqual([]);
});

test('trials that were not carried out are counted', () => {
  expect(notRunWarning(8, 2)[0]?.message).toBe('6 of 8 trials were not carried out.');
  expect(notRunWarning(8, 7)[0]?.message).toBe('1 of 8 trials was not carried out.');
});
