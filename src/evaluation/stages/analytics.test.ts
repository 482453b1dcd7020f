import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Stage, type StageResult, type StageState, stages } from '../stage.ts';
import {
  countTrial,
  newStageCount,
  type StageAnalytics,
  stageAnalytics,
  type TrialToCount,
} from './analytics.ts';

function analytics(trials: readonly TrialToCount[]): StageAnalytics {
  const count = newStageCount();
  for (const trial of trials) countTrial(count, trial);
  return stageAnalytics(count);
}

function trial(over: Partial<TrialToCount> = {}): TrialToCount {
  return {
    status: 'completed',
    evaluatorError: false,
    intent: null,
    stageResults: stages.map((stage) => ({ stage, state: 'passed', reason: 'observed' })),
    stageAnalyzerVersion: 12,
    ...over,
  };
}

function failedAt(stage: Stage): Partial<TrialToCount> {
  const at = stages.indexOf(stage);
  return {
    firstFailedStage: stage,
    failureCategory: 'serverData',
    stageResults: stages.map((name, index): StageResult => {
      if (index < at) return { stage: name, state: 'passed', reason: 'observed' };
      return index === at
        ? { stage: name, state: 'failed', reason: 'toolError' }
        : { stage: name, state: 'notReached', reason: 'earlierStageFailed' };
    }),
  };
}

test('trials are counted at each stage', () => {
  const unsure: StageResult[] = stages.map((stage, at) =>
    at < 3 ? { stage, state: 'passed' } : { stage, state: 'notMeasured', reason: 'noEvidenceCaptured' },
  );
  unsure[1] = { stage: 'discovery', state: 'notMeasured', reason: 'noEvidenceCaptured' };
  unsure[5] = { stage: 'userValue', state: 'notMeasured', reason: 'judgeNotRequested' };
  const { slices, includedTrials, totalTrials } = analytics([
    trial({ stageMs: { response: 10, userValue: 4 } }),
    trial({ ...failedAt('response'), stageMs: { response: 30, userValue: 9 } }),
    trial({ stageResults: unsure }),
  ]);
  expect([includedTrials, totalTrials]).toEqual([3, 3]);
  const overall = slices[0];
  expect(overall).toMatchObject({
    slice: { dimension: 'overall' },
    failureCategories: [{ category: 'serverData', count: 1 }],
  });
  // A stage counts as reached if a later one was measured.
  expect(overall?.stages[1]).toMatchObject({ reached: 3, measured: 2, notMeasured: 1, reachUnknown: 0 });
  expect(overall?.stages[4]).toEqual({
    stage: 'response',
    applicable: 3,
    reached: 2,
    notReached: 0,
    reachUnknown: 1,
    measured: 2,
    passed: 1,
    failed: 1,
    notMeasured: 0,
    notApplicable: 0,
    excluded: { reachUnknown: 1 },
    reasons: [
      { reason: 'noEvidenceCaptured', count: 1 },
      { reason: 'observed', count: 1 },
      { reason: 'toolError', count: 1 },
    ],
    latency: { unit: 'ms', basis: 'evidence_span_union', sampleCount: 2, totalMs: 40, minMs: 10, maxMs: 30 },
  });
  expect(overall?.stages[5]).toMatchObject({
    applicable: 3,
    reached: 2,
    notReached: 1,
    measured: 1,
    notMeasured: 1,
    latency: { sampleCount: 1, totalMs: 4 },
  });
});

test('trials that tell nothing about stages are left out, each for one reason', () => {
  const { includedTrials, excludedTrials, excludedTrialDetail, totalTrials, sourceStageAnalyzerVersions } =
    analytics([
      trial({ status: 'running' }),
      trial({ status: 'skipped' }),
      trial({ status: 'cancelled' }),
      trial({ status: 'setup_failed' }),
      trial({ status: 'timed_out' }),
      trial({ status: 'failed' }),
      trial({ evaluatorError: true }),
      trial({ stageResults: null }),
      trial({ stageResults: [] }),
      trial({ stageAnalyzerVersion: 13 }),
      trial({ stageAnalyzerVersion: 8 }),
      trial(),
    ]);
  expect({ includedTrials, excludedTrials, totalTrials }).toEqual({
    includedTrials: 1,
    excludedTrials: { lifecycle: 7, integrity: 2, version: 2 },
    totalTrials: 12,
  });
  expect(excludedTrialDetail).toEqual({
    notTerminal: 1,
    skipped: 1,
    cancelled: 1,
    setupFailed: 1,
    timedOut: 1,
    executionFailed: 1,
    evaluatorError: 1,
    chainMissing: 1,
    chainUnverified: 1,
    chainVersionAhead: 1,
    analyzerMismatch: 1,
  });
  expect(sourceStageAnalyzerVersions).toEqual([8, 12, 13]);
});

test('attempts at setup are counted once, however many trials they serve', () => {
  const shared = { attemptId: 'a', phase: 'connection' as const, failure: 'server' as const, ms: 20 };
  const { setup } = analytics([
    trial({ status: 'setup_failed', setup: [shared] }),
    trial({ status: 'setup_failed', setup: [shared] }),
    trial({
      setup: [
        { attemptId: 'b', phase: 'connection', ms: 40 },
        { attemptId: 'b', phase: 'discovery', failure: 'ours' },
      ],
    }),
  ]);
  expect(setup).toEqual([
    {
      phase: 'connection',
      uniqueAttempts: 2,
      failedAttempts: 1,
      serverAttributedFailures: 1,
      impactedTrials: 2,
      latency: { unit: 'ms', basis: 'setup_phase_wall', sampleCount: 2, totalMs: 60, minMs: 20, maxMs: 40 },
    },
    {
      phase: 'discovery',
      uniqueAttempts: 1,
      failedAttempts: 1,
      serverAttributedFailures: 0,
      impactedTrials: 1,
    },
  ]);
});

test('there is a slice for each intent, model and host, and of too many the largest are kept', () => {
  const small = analytics([
    trial({ intent: 'find', model: { provider: 'p', model: 'm' }, host: { hostKey: 'h', hostName: 'Host' } }),
    trial({ model: { provider: 'p', model: 'm' } }),
  ]);
  expect(small.slices.map(({ slice, includedTrials }) => [slice, includedTrials])).toEqual([
    [{ dimension: 'overall' }, 2],
    [{ dimension: 'intent', intent: 'find' }, 1],
    [{ dimension: 'intent', intent: null }, 1],
    [{ dimension: 'model', provider: 'p', model: 'm' }, 2],
    [{ dimension: 'host', hostKey: 'h', hostName: 'Host' }, 1],
  ]);
  expect(small).not.toHaveProperty('sliceTruncation');

  const many = Array.from({ length: 200 }, (_, at) =>
    trial({ intent: `intent ${at}`, model: { provider: 'p', model: `m${at % 5}` } }),
  );
  const large = analytics([...many, trial({ intent: 'intent 199' })]);
  expect(large.slices).toHaveLength(101);
  expect(large.slices[1]?.slice).toEqual({ dimension: 'intent', intent: 'intent 199' });
  expect(large.sliceTruncation).toEqual([{ dimension: 'intent', distinctValues: 200, retained: 95 }]);
});

const anyRows = fc
  .tuple(
    fc.nat(6),
    fc.array(fc.constantFrom<StageState>('passed', 'notMeasured', 'notApplicable'), {
      minLength: 6,
      maxLength: 6,
    }),
    fc.constantFrom('noEvidenceCaptured' as const, 'judgeNotRequested' as const, undefined),
  )
  .map(([at, states, reason]) =>
    states.map((state, index): StageResult => {
      const stage = stages[index] as Stage;
      if (index > at) return { stage, state: 'notReached' };
      return { stage, state: index === at ? 'failed' : state, ...(reason && { reason }) };
    }),
  );
const anyTrial = fc
  .record({
    status: fc.constantFrom<TrialToCount['status'][]>(
      'completed',
      'completed',
      'completed',
      'failed',
      'pending',
    ),
    evaluatorError: fc.constantFrom(false, false, false, true),
    intent: fc.constantFrom(null, 'a', 'b'),
    stageResults: fc.oneof(fc.constant(undefined), anyRows, anyRows, anyRows),
    stageAnalyzerVersion: fc.constantFrom(12, 12, 12, 13),
  })
  .map((made): TrialToCount => {
    const first = made.stageResults?.find(({ state }) => state === 'failed')?.stage;
    return { ...made, firstFailedStage: first };
  });

test('whatever is counted, the sums are right, and the order of trials makes no difference', () => {
  fc.assert(
    fc.property(fc.array(anyTrial, { maxLength: 30 }), (trials) => {
      const found = analytics(trials);
      const sum = (counts: object): number =>
        (Object.values(counts) as number[]).reduce((total, count) => total + count, 0);
      expect(found.includedTrials + sum(found.excludedTrials)).toBe(found.totalTrials);
      expect(sum(found.excludedTrialDetail)).toBe(sum(found.excludedTrials));
      for (const slice of found.slices) {
        expect(slice.stages.map(({ stage }) => stage)).toEqual([...stages]);
        for (const tally of slice.stages) {
          expect(tally.passed + tally.failed).toBe(tally.measured);
          expect(tally.measured + tally.notMeasured).toBe(tally.reached);
          expect(tally.reached + tally.notReached + tally.reachUnknown).toBe(tally.applicable);
          expect(tally.applicable + tally.notApplicable).toBe(slice.includedTrials);
          const trialsOfSlice = slice.includedTrials + sum(slice.excludedTrials);
          expect(tally.measured + tally.notReached + sum(tally.excluded)).toBe(trialsOfSlice);
        }
      }
      expect(analytics(trials.toReversed())).toEqual(found);
    }),
  );
});
