import type { z } from 'zod';
import type { ConformanceReport } from '../contract/conformance-ingest.ts';

/** The stored report of a suite. */
export type SuiteReport = z.output<typeof ConformanceReport>;
export type Group = SuiteReport['groups'][number];
export type Case = Group['cases'][number];
export type Outcome = 'passed' | 'failed' | 'incomplete';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Cases that are reported but do not count, such as violated recommendations; in no other count. */
  pending: number;
}

export const noCounts: Counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };

export function countsOf({ groups }: Pick<SuiteReport, 'groups'>): Counts {
  const counts = { ...noCounts };
  for (const { cases } of groups)
    for (const { status, pending } of cases) counts[pending ? 'pending' : status]++;
  return counts;
}

export function sumOf(all: readonly Counts[]): Counts {
  const sum = { ...noCounts };
  for (const { passed, failed, skipped, pending } of all) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
    sum.pending += pending;
  }
  return sum;
}

/** From 0 to 100 with one decimal, or null if no case was graded. */
export function scoreOf({ passed, failed }: Pick<Counts, 'passed' | 'failed'>): number | null {
  const graded = passed + failed;
  return graded === 0 ? null : Math.round((passed / graded) * 1_000) / 10;
}

/** The reported outcome. A report without one has only `passed`. */
export function outcomeOfSuite({ outcome, passed }: SuiteReport): Outcome {
  return outcome ?? (passed ? 'passed' : 'failed');
}

/** The outcome of a run, from its requested suites and their reports. */
export function outcomeOfRun(
  requested: readonly string[],
  reported: readonly { suiteKind: string; outcome: Outcome }[],
): Outcome {
  if (reported.some(({ outcome }) => outcome === 'failed')) return 'failed';
  const complete = new Set(
    reported.filter(({ outcome }) => outcome === 'passed').map(({ suiteKind }) => suiteKind),
  );
  const whole = requested.every((kind) => complete.has(kind)) && reported.length === complete.size;
  return whole ? 'passed' : 'incomplete';
}

/** The outcome of groups graded here: a failed case decides, then one that could not run. */
export function outcomeOfGroups(groups: readonly Group[]): Outcome {
  const cases = groups.flatMap((group) => group.cases).filter(({ pending }) => !pending);
  if (cases.some(({ status }) => status === 'failed')) return 'failed';
  return cases.some(({ couldNotRun }) => couldNotRun) ? 'incomplete' : 'passed';
}

export interface FailingCase {
  group: Group;
  case: Case;
  /** Sort order: failures, uncounted failures, cases that could not run. */
  rank: 0 | 1 | 2;
}

/** Failed cases, and those that could not run. In an incomplete suite, skipped cases could not run. */
export function failingCases(report: SuiteReport): FailingCase[] {
  const cutShort = outcomeOfSuite(report) === 'incomplete';
  return report.groups.flatMap((group) =>
    group.cases.flatMap((one): FailingCase[] => {
      if (one.status === 'failed') return [{ group, case: one, rank: one.pending ? 1 : 0 }];
      const hindered = one.status === 'skipped' && (one.couldNotRun ?? cutShort);
      return hindered ? [{ group, case: one, rank: 2 }] : [];
    }),
  );
}

export function profileOf({ profile }: SuiteReport): string | null {
  if (profile == null) return null;
  return (typeof profile === 'string' ? profile : profile.id) ?? null;
}
