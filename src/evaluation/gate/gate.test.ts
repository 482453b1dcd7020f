import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluateGate, type GatePolicy, type GateScore, type GateSide } from './gate.ts';

const score = (given: Partial<GateScore> = {}): GateScore => ({
  caseKey: 'a',
  scorerId: 'calls',
  definitionHash: 'h',
  gating: true,
  deterministic: true,
  scored: 3,
  passed: 3,
  errors: 0,
  ...given,
});
const side = (given: Partial<GateSide> = {}): GateSide => ({
  passRate: 1,
  durationsMs: [10, 20, 30],
  scores: [score()],
  ...given,
});
const none = { reason: 'BASELINE_NOT_FOUND', message: 'No baseline' };
const all: GatePolicy = {
  maximumPassRateDrop: 0.1,
  noDeterministicRegressions: true,
  maximumP95LatencyIncreaseMs: 5,
  noGatingScoreErrors: true,
};

test.each<[string, GatePolicy, GateSide | typeof none, GateSide | typeof none, string, string[]]>([
  ['nothing asked', {}, side(), none, 'not_configured', []],
  ['a condition switched off', { noGatingScoreErrors: false }, side(), none, 'not_configured', []],
  ['all well', all, side(), side(), 'passed', ['passed', 'passed', 'passed', 'passed']],
  [
    'no baseline',
    all,
    side(),
    none,
    'non_gateable',
    ['passed', 'non_gateable', 'non_gateable', 'non_gateable'],
  ],
  ['a run that is not over', { noGatingScoreErrors: true }, none, side(), 'non_gateable', ['non_gateable']],
  [
    'failed outweighs unanswered',
    all,
    side({ scores: [score({ errors: 1 })] }),
    none,
    'failed',
    ['failed', 'non_gateable', 'non_gateable', 'non_gateable'],
  ],
  [
    'a drop of exactly the limit passes',
    { maximumPassRateDrop: 0.1 },
    side({ passRate: 0.8 }),
    side({ passRate: 0.9 }),
    'passed',
    ['passed'],
  ],
  [
    'a larger one does not',
    { maximumPassRateDrop: 0.1 },
    side({ passRate: 0.79 }),
    side({ passRate: 0.9 }),
    'failed',
    ['failed'],
  ],
  [
    'no rate',
    { maximumPassRateDrop: 0.1 },
    side({ passRate: undefined }),
    side(),
    'non_gateable',
    ['non_gateable'],
  ],
  [
    'a check that fails once in three',
    { noDeterministicRegressions: true },
    side({ scores: [score({ passed: 2 })] }),
    side(),
    'failed',
    ['failed'],
  ],
  [
    'one that failed before',
    { noDeterministicRegressions: true },
    side({ scores: [score({ passed: 0 })] }),
    side({ scores: [score({ passed: 2 })] }),
    'passed',
    ['passed'],
  ],
  [
    'a judge is not deterministic',
    { noDeterministicRegressions: true },
    side({ scores: [score({ deterministic: false, passed: 0 })] }),
    side({ scores: [score({ deterministic: false })] }),
    'non_gateable',
    ['non_gateable'],
  ],
  [
    'another definition is another check',
    { noDeterministicRegressions: true },
    side({ scores: [score({ definitionHash: 'i', passed: 0 })] }),
    side(),
    'non_gateable',
    ['non_gateable'],
  ],
  [
    'slower by more than allowed',
    { maximumP95LatencyIncreaseMs: 5 },
    side({ durationsMs: [1, 1, 36] }),
    side(),
    'failed',
    ['failed'],
  ],
  [
    'slower by what is allowed',
    { maximumP95LatencyIncreaseMs: 5 },
    side({ durationsMs: [35, 1, 1] }),
    side(),
    'passed',
    ['passed'],
  ],
  [
    'an advisory score may err',
    { noGatingScoreErrors: true },
    side({ scores: [score({ gating: false, errors: 9 })] }),
    none,
    'passed',
    ['passed'],
  ],
])('%s', (_, policy, run, base, outcome, statuses) => {
  const gate = evaluateGate(policy, run, base);
  expect({ outcome: gate.outcome, statuses: gate.conditions.map(({ status }) => status) }).toEqual({
    outcome,
    statuses,
  });
});

test('a run never fails its own gate, unless a score of it is missing', () => {
  const anySide = fc.record({
    passRate: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    durationsMs: fc.array(fc.nat()),
    scores: fc.array(
      fc.record({
        caseKey: fc.constantFrom('a', 'b'),
        scorerId: fc.constantFrom('x', 'y'),
        definitionHash: fc.constant('h'),
        gating: fc.boolean(),
        deterministic: fc.boolean(),
        scored: fc.nat(3),
        passed: fc.constant(0),
        errors: fc.constant(0),
      }),
    ),
  });
  fc.assert(
    fc.property(anySide, (run) => {
      expect(evaluateGate({ ...all, maximumPassRateDrop: 0 }, run, run).outcome).not.toBe('failed');
    }),
  );
});
