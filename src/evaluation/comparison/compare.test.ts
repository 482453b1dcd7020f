import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ComparedCase, compareRuns } from './compare.ts';

let ids = 0;

/** A case with the given numbers of passed, failed and unjudged trials. */
function tried(
  key: string,
  [passed, failed, unjudged = 0]: readonly [number, number, number?],
  rest: Partial<ComparedCase> = {},
): ComparedCase {
  const trial = (result: boolean | undefined) => ({
    iterationId: `i${++ids}`,
    passed: result,
    durationMs: 10,
    totalTokens: null,
    costMicros: null,
  });
  const trials = [
    ...Array.from({ length: passed }, () => trial(true)),
    ...Array.from({ length: failed }, () => trial(false)),
    ...Array.from({ length: unjudged }, () => trial(undefined)),
  ];
  return { key, title: `Case ${key}`, configHash: 'same', threshold: 0.8, trials, ...rest };
}

test('each case is told by what became of it', () => {
  const base = [
    tried('kept', [5, 0]),
    tried('broken', [5, 0]),
    tried('mended', [1, 4]),
    tried('poor', [0, 5]),
    tried('edited', [5, 0]),
    tried('edited and kept', [5, 0]),
    tried('gone', [5, 0]),
  ];
  const compare = [
    tried('new', [5, 0]),
    tried('kept', [4, 1]),
    tried('broken', [1, 4]),
    tried('mended', [5, 0]),
    tried('poor', [0, 0, 5]),
    tried('edited', [0, 5], { configHash: 'other' }),
    tried('edited and kept', [5, 0], { configHash: 'other' }),
  ];
  const { cases } = compareRuns(base, compare);
  expect(cases.map(({ key, status, configChanged }) => [key, status, configChanged])).toEqual([
    ['new', 'new_case', false],
    ['kept', 'unchanged_passed', false],
    ['broken', 'regressed', false],
    ['mended', 'fixed', false],
    ['poor', 'not_measured', false],
    ['edited', 'changed', true],
    ['edited and kept', 'unchanged_passed', true],
    ['gone', 'removed_case', false],
  ]);
  const broken = cases[2];
  expect(broken?.compare).toMatchObject({ outcome: 'failed', passed: 1, trials: 5 });
  // The representative trial shows the outcome.
  expect(broken?.compare.representativeIterationId).toBe(compare[2]?.trials[1]?.iterationId);
  expect(cases[4]?.compare).toMatchObject({ outcome: 'failed', trials: 0 });
  expect(cases[4]?.difference).toBeNull();
  expect(cases[0]?.base).toMatchObject({ outcome: 'absent', iterationIds: [] });
});

test('a case that fell from five in five to one in five is more than chance alone, and less among many', () => {
  const alone = compareRuns([tried('a', [5, 0])], [tried('a', [1, 4])]).cases[0]?.difference;
  expect(alone?.p).toBeCloseTo(0.047619, 6);
  expect(alone).toMatchObject({ significant: true, change: expect.closeTo(-0.8, 9) });
  const many = Array.from({ length: 20 }, (_, n) => `k${n}`);
  const { cases, suite } = compareRuns(
    many.map((key) => tried(key, [5, 0])),
    many.map((key, n) => tried(key, n === 0 ? [1, 4] : [5, 0])),
  );
  expect(cases[0]).toMatchObject({ status: 'regressed', difference: { significant: false } });
  expect(cases[0]?.difference?.adjustedP).toBeCloseTo(0.952381, 6);
  expect(suite).toMatchObject({ test: 'cochran-mantel-haenszel', change: expect.closeTo(-0.04, 9) });
});

test('medians are of the trials that have a figure', () => {
  const timed = (ms: (number | null)[]) =>
    tried('a', [0, 0], {
      trials: ms.map((durationMs, n) => ({
        iterationId: `t${n}`,
        passed: true,
        durationMs,
        totalTokens: null,
        costMicros: null,
      })),
    });
  const [one] = compareRuns([timed([30, 10, null, 20])], [timed([10, 20, 40, 30])]).cases;
  expect(one?.durationMs).toEqual({ base: 20, compare: 25 });
  expect(one?.tokens).toEqual({ base: null, compare: null });
});

const someCase = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  counts: fc.tuple(fc.nat(4), fc.nat(4), fc.nat(2)),
});
const someRun = fc
  .uniqueArray(someCase, { selector: ({ key }) => key })
  .map((all) => all.map(({ key, counts }) => tried(key, counts)));

test('a run is like itself, and turning the two around turns the answer around', () => {
  const opposite = {
    regressed: 'fixed',
    fixed: 'regressed',
    new_case: 'removed_case',
    removed_case: 'new_case',
  } as Record<string, string>;
  fc.assert(
    fc.property(someRun, someRun, (base, compare) => {
      for (const { status, base: side } of compareRuns(base, base).cases)
        expect(status).toBe(side.trials === 0 ? 'not_measured' : `unchanged_${side.outcome}`);
      const byKey = (cases: { key: string; status: string; difference: { p: number | null } | null }[]) =>
        new Map(cases.map((one) => [one.key, one]));
      const [there, back] = [compareRuns(base, compare), compareRuns(compare, base)];
      expect(there.cases).toHaveLength(new Set([...base, ...compare].map(({ key }) => key)).size);
      for (const [key, { status, difference }] of byKey(there.cases)) {
        const other = byKey(back.cases).get(key);
        const bothAbsent = there.cases.every(
          (one) => one.key !== key || (one.base.outcome === 'absent' && one.compare.outcome === 'absent'),
        );
        expect(other?.status).toBe(bothAbsent ? status : (opposite[status] ?? status));
        expect(other?.difference?.p ?? 2).toBeCloseTo(difference?.p ?? 2, 9);
      }
    }),
  );
});
