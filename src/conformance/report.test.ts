import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countsOf, outcomeOfRun, scoreOf, sumOf } from './report.ts';

const status = fc.constantFrom('passed' as const, 'failed' as const, 'skipped' as const);
const cases = fc.array(fc.record({ id: fc.constant('c'), status, pending: fc.option(fc.boolean()) }));
const groups = fc.array(fc.record({ id: fc.constant('g'), cases }), { maxLength: 5 });

test('the score is the share of those that passed or failed, whatever else is reported', () => {
  fc.assert(
    fc.property(groups, (given) => {
      const all = given.flatMap((group) => group.cases);
      const graded = all.filter((one) => !one.pending && one.status !== 'skipped');
      const passed = graded.filter((one) => one.status === 'passed').length;
      const score = scoreOf(countsOf({ groups: given }));
      expect(score === null).toBe(graded.length === 0);
      const exact = graded.length === 0 ? 0 : (passed / graded.length) * 100;
      expect(Math.abs((score ?? 0) - exact)).toBeLessThanOrEqual(0.05 + 1e-9);
      expect(Number(((score ?? 0) * 10).toFixed(6))).toBe(Math.round((score ?? 0) * 10));
    }),
  );
});

test('every check is counted once, and those of a run are those of its suites', () => {
  fc.assert(
    fc.property(fc.array(groups, { maxLength: 4 }), (suites) => {
      const { passed, failed, skipped, pending } = sumOf(suites.map((one) => countsOf({ groups: one })));
      const total = suites.flat().reduce((sum, group) => sum + group.cases.length, 0);
      expect(passed + failed + skipped + pending).toBe(total);
    }),
  );
});

test('a run fails if and only if a suite fails, and passes if and only if all that were asked for pass', () => {
  const kinds = ['protocol', 'apps', 'tasks', 'oauth'];
  const outcome = fc.constantFrom('passed' as const, 'failed' as const, 'incomplete' as const, undefined);
  fc.assert(
    fc.property(
      fc.subarray(kinds, { minLength: 1 }),
      fc.array(outcome, { minLength: 4, maxLength: 4 }),
      (requested, said) => {
        const reported = requested.flatMap((suiteKind, at) => {
          const one = said[at];
          return one === undefined ? [] : [{ suiteKind, outcome: one }];
        });
        const result = outcomeOfRun(requested, reported);
        expect(result === 'failed').toBe(reported.some((one) => one.outcome === 'failed'));
        const whole =
          reported.length === requested.length && reported.every((one) => one.outcome === 'passed');
        expect(result === 'passed').toBe(whole);
      },
    ),
  );
});
