import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type VerdictDecision, validityReasons } from './decision.ts';
import { decide, resolvePolicy, type WrittenValidity } from './policy.ts';
import { type ConfiguredVariant, policyProblem, type TrialRecord } from './trials.ts';

const statuses: Readonly<Record<string, Pick<TrialRecord, 'status' | 'result' | 'evaluatorError'>>> = {
  p: { status: 'completed', result: 'passed', evaluatorError: false },
  f: { status: 'completed', result: 'failed', evaluatorError: false },
  e: { status: 'completed', result: 'failed', evaluatorError: true },
  n: { status: 'completed', result: null, evaluatorError: false },
  x: { status: 'failed', result: 'failed', evaluatorError: false },
  t: { status: 'timed_out', result: 'failed', evaluatorError: false },
  s: { status: 'setup_failed', result: null, evaluatorError: false },
  c: { status: 'cancelled', result: null, evaluatorError: false },
  k: { status: 'skipped', result: null, evaluatorError: false },
  r: { status: 'running', result: null, evaluatorError: false },
  w: { status: 'pending', result: null, evaluatorError: false },
};

function outcome(letter: string): Pick<TrialRecord, 'status' | 'result' | 'evaluatorError'> {
  const found = statuses[letter];
  if (!found) throw new Error(letter);
  return found;
}

/** One letter per trial of a case; a dot is a configured trial that was never reported. */
type Letters = string;

function arranged(cases: readonly Letters[], passThreshold = 0.5): [ConfiguredVariant[], TrialRecord[]] {
  const variants = cases.map((letters, at) => ({
    caseId: `case-${at}`,
    configuredTrials: letters.length,
    passThreshold,
  }));
  const trials = cases.flatMap((letters, at) =>
    Array.from(
      letters.replaceAll('.', ''),
      (letter): TrialRecord => ({
        caseId: `case-${at}`,
        ...outcome(letter),
      }),
    ),
  );
  return [variants, trials];
}

function decided(cases: readonly Letters[], written: WrittenValidity = {}, threshold = 0.5): VerdictDecision {
  return decide(resolvePolicy(written), ...arranged(cases, threshold));
}

test.each<[Letters[], WrittenValidity, string, string[]]>([
  [['pppp', 'ppff'], {}, 'passed', ['allMeasuredCasesMetThreshold']],
  [['pppp', 'pfff'], {}, 'failed', ['casePassRateBelowThreshold']],
  [['ppp.'], {}, 'inconclusive', ['configuredTrialsNotAttempted']],
  [['pppc'], {}, 'inconclusive', ['configuredTrialsNotAttempted']],
  [['pppk'], {}, 'inconclusive', ['configuredTrialsNotAttempted']],
  [['pppr'], {}, 'inconclusive', ['configuredTrialsNotAttempted']],
  [['pppx'], {}, 'inconclusive', ['completionRateBelowMinimum']],
  [['ppppx'], {}, 'passed', ['allMeasuredCasesMetThreshold']],
  [['pppps'], {}, 'passed', ['allMeasuredCasesMetThreshold']],
  [['ppppppppen'], {}, 'inconclusive', ['evaluatorErrorRateAboveMaximum']],
  [['pppppppppe'], {}, 'passed', ['allMeasuredCasesMetThreshold']],
  [['pppp', 'e'], { maxEvaluatorErrorRate: 1 }, 'inconclusive', ['caseHasNoEligibleTrials']],
  [['ppp.'], { minEligibleTrials: 3 }, 'passed', ['allMeasuredCasesMetThreshold']],
  [['ppp.'], { minEligibleTrials: 4 }, 'inconclusive', ['eligibleTrialsBelowMinimum']],
  [
    ['ss'],
    {},
    'inconclusive',
    [
      'noGradeableTrials',
      'completionRateBelowMinimum',
      'evaluatorErrorRateNotMeasured',
      'caseHasNoEligibleTrials',
    ],
  ],
  [
    ['c.'],
    { minCompletionRate: 0 },
    'inconclusive',
    [
      'configuredTrialsNotAttempted',
      'noGradeableTrials',
      'completionRateNotMeasured',
      'evaluatorErrorRateNotMeasured',
      'caseHasNoEligibleTrials',
    ],
  ],
])('%j under %j is %s', (cases, written, verdict, reasons) => {
  expect(decided(cases, written)).toMatchObject({ verdict, reasons });
});

test('a decision says of every case how it came about', () => {
  const variants: ConfiguredVariant[] = [
    { caseId: 'a', executionVariant: { model: 'm', provider: 'p' }, configuredTrials: 4, passThreshold: 0.6 },
    { caseId: 'a', executionVariant: { model: 'n' }, configuredTrials: 1, passThreshold: 0 },
  ];
  const of = (letter: string, model: string): TrialRecord => ({
    caseId: 'a',
    executionVariant: model === 'm' ? { model, provider: 'p' } : { model },
    ...outcome(letter),
  });
  const trials = [of('p', 'm'), of('f', 'm'), of('x', 'm'), of('e', 'n')];
  expect(decide(resolvePolicy(), variants, trials)).toEqual({
    verdictPolicyVersion: 2,
    verdict: 'inconclusive',
    reasons: [
      'configuredTrialsNotAttempted',
      'completionRateBelowMinimum',
      'evaluatorErrorRateAboveMaximum',
      'caseHasNoEligibleTrials',
    ],
    validity: {
      policy: {
        coverage: { kind: 'allConfiguredTrialsAttempted', minGradeableTrials: 1 },
        minCompletionRate: 0.8,
        maxEvaluatorErrorRate: 0.1,
      },
      holds: false,
      configuredTrials: 5,
      attemptedTrials: 4,
      eligibleTrials: 2,
      completionRate: {
        state: 'measured',
        value: 0.75,
        numerator: 3,
        denominator: 4,
        exclusions: { notTerminal: 1 },
      },
      evaluatorErrorRate: {
        state: 'measured',
        value: 1 / 3,
        numerator: 1,
        denominator: 3,
        exclusions: { notTerminal: 1, executionFailed: 1 },
      },
    },
    cases: [
      {
        caseId: 'a',
        executionVariant: { model: 'm', provider: 'p' },
        configuredTrials: 4,
        attemptedTrials: 3,
        eligibleTrials: 2,
        passedTrials: 1,
        failedTrials: 1,
        effectivePassThreshold: 0.6,
        passRate: {
          state: 'measured',
          value: 0.5,
          numerator: 1,
          denominator: 2,
          exclusions: { notTerminal: 1, executionFailed: 1 },
        },
        completionRate: {
          state: 'measured',
          value: 2 / 3,
          numerator: 2,
          denominator: 3,
          exclusions: { notTerminal: 1 },
        },
        observedStability: {
          state: 'measured',
          value: 0.5,
          numerator: 1,
          denominator: 2,
          exclusions: { notTerminal: 1, executionFailed: 1 },
        },
        mixedVerdict: true,
        verdict: 'failed',
        reason: 'casePassRateBelowThreshold',
      },
      {
        caseId: 'a',
        executionVariant: { model: 'n' },
        configuredTrials: 1,
        attemptedTrials: 1,
        eligibleTrials: 0,
        passedTrials: 0,
        failedTrials: 0,
        effectivePassThreshold: 0,
        passRate: {
          state: 'notMeasured',
          value: null,
          numerator: 0,
          denominator: 0,
          exclusions: { evaluatorError: 1 },
        },
        completionRate: { state: 'measured', value: 1, numerator: 1, denominator: 1, exclusions: {} },
        observedStability: {
          state: 'notMeasured',
          value: null,
          numerator: 0,
          denominator: 0,
          exclusions: { evaluatorError: 1 },
        },
        mixedVerdict: false,
        verdict: 'inconclusive',
        reason: 'caseHasNoEligibleTrials',
      },
    ],
  });
});

test('reaching a threshold exactly is enough, in every fraction', () => {
  for (let trials = 1; trials <= 100; trials++)
    for (let passed = 0; passed <= trials; passed += 7) {
      const letters = 'p'.repeat(passed) + 'f'.repeat(trials - passed);
      expect(decided([letters], {}, passed / trials).verdict).toBe('passed');
    }
  expect(decided(['pppff'], {}, 0.6).verdict).toBe('passed');
});

test.each<[string, ConfiguredVariant[], TrialRecord[]]>([
  ['No case', [], []],
  ['ID', [variant('a b')], []],
  ['configured for 101 trials', [variant('a', { configuredTrials: 101 })], []],
  ['configured for 0 trials', [variant('a', { configuredTrials: 0 })], []],
  ['threshold', [variant('a', { passThreshold: 1.1 })], []],
  ['twice', [variant('a'), variant('a')], []],
  ['with and without', [variant('a'), variant('a', { executionVariant: { model: 'm' } })], []],
  ['500 cases', Array.from({ length: 501 }, (_, at) => variant(`c${at}`)), []],
  ['not configured', [variant('a')], arranged(['p'])[1]],
  ['more trials', [variant('case-0')], arranged(['pp'])[1]],
])('there is no decision: %s', (problem, variants, trials) => {
  expect(policyProblem(variants, trials)).toContain(problem);
  expect(() => decide(resolvePolicy(), variants, trials)).toThrow(problem);
});

function variant(caseId: string, over: Partial<ConfiguredVariant> = {}): ConfiguredVariant {
  return { caseId, configuredTrials: 1, passThreshold: 0.5, ...over };
}

const letters = fc
  .array(fc.constantFrom(...Object.keys(statuses), '.', 'p', 'p', 'p', 'f'), { minLength: 1, maxLength: 12 })
  .map((all) => all.join(''));
const cases = fc.array(letters, { minLength: 1, maxLength: 5 });
const written = fc.record<WrittenValidity>(
  {
    minEligibleTrials: fc.integer({ min: 1, max: 10 }),
    minCompletionRate: fc.constantFrom(0, 0.5, 0.8, 1),
    maxEvaluatorErrorRate: fc.constantFrom(0, 0.1, 0.5, 1),
  },
  { requiredKeys: [] },
);
const threshold = fc.constantFrom(0, 0.5, 0.8, 1);

const worth = { failed: 0, inconclusive: 1, passed: 2 };

test('a failed trial that passes instead never makes a verdict worse', () => {
  fc.assert(
    fc.property(cases, written, threshold, fc.nat(), (all, policy, limit, at) => {
      const index = at % all.length;
      const better = all.with(index, (all[index] as string).replace('f', 'p'));
      const before = decided(all, policy, limit);
      const after = decided(better, policy, limit);
      expect(worth[after.verdict]).toBeGreaterThanOrEqual(worth[before.verdict]);
      expect(after.validity.holds).toBe(before.validity.holds);
    }),
  );
});

test('the order of trials makes no difference', () => {
  fc.assert(
    fc.property(cases, written, threshold, (all, policy, limit) => {
      const [variants, trials] = arranged(all, limit);
      const resolved = resolvePolicy(policy);
      expect(decide(resolved, variants, trials.toReversed())).toEqual(decide(resolved, variants, trials));
    }),
  );
});

test('what was not measured satisfies nothing, and every trial is accounted for', () => {
  fc.assert(
    fc.property(cases, written, threshold, (all, policy, limit) => {
      const { verdict, reasons, validity, cases: found } = decided(all, policy, limit);
      expect(verdict === 'inconclusive').toBe(!validity.holds);
      const unmeasured = [
        validity.completionRate,
        validity.evaluatorErrorRate,
        ...found.map((c) => c.passRate),
      ];
      expect(validity.holds && unmeasured.some(({ state }) => state === 'notMeasured')).toBe(false);
      const inOrder = validityReasons.filter((reason) => reasons.includes(reason));
      expect(validity.holds ? reasons.length : inOrder).toEqual(validity.holds ? 1 : reasons);
      for (const { passRate, configuredTrials, eligibleTrials, verdict: own } of found) {
        const excluded = Object.values(passRate.exclusions).reduce((sum, count) => sum + count, 0);
        expect(eligibleTrials + excluded).toBe(configuredTrials);
        expect(own === 'inconclusive').toBe(eligibleTrials === 0);
      }
    }),
  );
});
