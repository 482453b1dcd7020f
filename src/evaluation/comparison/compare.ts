import {
  benjaminiHochberg,
  type Count,
  fisher,
  newcombe,
  type SuiteDifference,
  suiteDifference,
} from '../statistics/difference.ts';
import type { Interval } from '../statistics/wilson.ts';

/** The fields of a trial that a comparison of runs uses. */
interface ComparedTrial {
  iterationId: string;
  /** Undefined: not counted in the pass rate, because the trial did not complete or could not be judged. */
  passed: boolean | undefined;
  durationMs: number | null;
  totalTokens: number | null;
  costMicros: number | null;
}

/** A case with one model, in one of the runs. */
export interface ComparedCase {
  /** Matches the case across runs. */
  key: string;
  title: string;
  /** Hash of everything that affects how the case is tried and graded. */
  configHash: string;
  /** The minimum pass rate. */
  threshold: number;
  trials: readonly ComparedTrial[];
}

type CaseStatus =
  | 'unchanged_passed'
  | 'unchanged_failed'
  | 'regressed'
  | 'fixed'
  | 'new_case'
  | 'removed_case'
  | 'changed'
  /** One of the runs has no judged trial of this case. */
  | 'not_measured';

interface CaseSide {
  outcome: 'passed' | 'failed' | 'absent';
  iterationIds: string[];
  /** The first trial with this outcome, otherwise the first trial. */
  representativeIterationId: string | null;
  /** Number of passed trials. `trials` counts only judged ones. */
  passed: number;
  trials: number;
}

/** Whether two rates differ by more than chance. */
interface RateDifference {
  change: number;
  interval: Interval | null;
  p: number | null;
  /** Corrected for the number of cases. */
  adjustedP: number | null;
  /** Whether `adjustedP` is below 0.05. */
  significant: boolean;
}

export interface CaseComparison {
  key: string;
  title: string;
  status: CaseStatus;
  configChanged: boolean;
  base: CaseSide;
  compare: CaseSide;
  difference: RateDifference | null;
  /** Medians of the trials. */
  durationMs: { base: number | null; compare: number | null };
  tokens: { base: number | null; compare: number | null };
  costMicros: { base: number | null; compare: number | null };
  /** The number of trials with a known cost. */
  costed: { base: number; compare: number };
}

export interface RunComparison {
  /** In the order of the later run; cases missing from it come last. */
  cases: CaseComparison[];
  suite: (SuiteDifference & { significant: boolean }) | null;
}

/** Significance level. */
const alpha = 0.05;

export function compareRuns(base: readonly ComparedCase[], compare: readonly ComparedCase[]): RunComparison {
  return concluded(pairsOf(base, compare).map(compareCase));
}

interface CasePair {
  was: ComparedCase | undefined;
  is: ComparedCase | undefined;
}

/** In the order of the later run; cases missing from it come last. */
export function pairsOf(base: readonly ComparedCase[], compare: readonly ComparedCase[]): CasePair[] {
  const before = new Map(base.map((one) => [one.key, one]));
  const after = new Set(compare.map(({ key }) => key));
  return [
    ...compare.map((is) => ({ was: before.get(is.key), is })),
    ...base.filter(({ key }) => !after.has(key)).map((was) => ({ was, is: undefined })),
  ];
}

/** Adjusts the p-values for the number of cases, and measures the change of the suite as a whole. */
export function concluded(cases: CaseComparison[]): RunComparison {
  adjust(cases);
  const suite = suiteDifference(cases.filter(({ difference }) => difference !== null));
  return { cases, suite: suite ? { ...suite, significant: suite.p < alpha } : null };
}

export function compareCase({ was, is }: CasePair): CaseComparison {
  const { key, title } = (is ?? was) as ComparedCase;
  const [base, compare] = [sideOf(was), sideOf(is)];
  const configChanged = was !== undefined && is !== undefined && was.configHash !== is.configHash;
  return {
    key,
    title,
    status: statusOf(base, compare, configChanged),
    configChanged,
    base,
    compare,
    difference: differenceOf(base, compare),
    durationMs: { base: medianOf(was, 'durationMs'), compare: medianOf(is, 'durationMs') },
    tokens: { base: medianOf(was, 'totalTokens'), compare: medianOf(is, 'totalTokens') },
    costMicros: { base: medianOf(was, 'costMicros'), compare: medianOf(is, 'costMicros') },
    costed: { base: costedOf(was), compare: costedOf(is) },
  };
}

function costedOf(one: ComparedCase | undefined): number {
  return one?.trials.filter(({ costMicros }) => costMicros !== null).length ?? 0;
}

function sideOf(one: ComparedCase | undefined): CaseSide {
  if (!one)
    return {
      outcome: 'absent',
      iterationIds: [],
      representativeIterationId: null,
      passed: 0,
      trials: 0,
    };
  const judged = one.trials.filter(({ passed }) => passed !== undefined);
  const passed = judged.filter((trial) => trial.passed).length;
  // A case without a judged trial counts as failed.
  const outcome = judged.length > 0 && passed / judged.length >= one.threshold ? 'passed' : 'failed';
  const shows = one.trials.find((trial) => trial.passed === (outcome === 'passed')) ?? one.trials[0];
  return {
    outcome,
    iterationIds: one.trials.map(({ iterationId }) => iterationId),
    representativeIterationId: shows?.iterationId ?? null,
    passed,
    trials: judged.length,
  };
}

/**
 * Without a judged trial on both sides the case is not measured. If the case was edited, a different outcome is
 * `changed`, not a regression or a fix, because it says nothing about the server.
 */
function statusOf(base: CaseSide, compare: CaseSide, configChanged: boolean): CaseStatus {
  if (base.outcome === 'absent') return 'new_case';
  if (compare.outcome === 'absent') return 'removed_case';
  if (base.trials === 0 || compare.trials === 0) return 'not_measured';
  if (base.outcome === compare.outcome) return `unchanged_${compare.outcome}`;
  if (configChanged) return 'changed';
  return compare.outcome === 'passed' ? 'fixed' : 'regressed';
}

function differenceOf(base: Count, compare: Count): RateDifference | null {
  const p = fisher(base, compare);
  if (p === undefined) return null;
  return {
    change: compare.passed / compare.trials - base.passed / base.trials,
    interval: newcombe(base, compare) ?? null,
    p,
    adjustedP: null,
    significant: false,
  };
}

/** With many cases, some differ by chance. The Benjamini–Hochberg correction limits the share of false positives. */
function adjust(cases: readonly CaseComparison[]): void {
  const measured = cases.flatMap(({ difference }) => (difference ? [difference] : []));
  const adjusted = benjaminiHochberg(measured.map(({ p }) => p ?? 1));
  measured.forEach((difference, at) => {
    difference.adjustedP = adjusted[at] ?? null;
    difference.significant = (adjusted[at] ?? 1) < alpha;
  });
}

function medianOf(
  one: ComparedCase | undefined,
  field: 'durationMs' | 'totalTokens' | 'costMicros',
): number | null {
  const values = (one?.trials ?? []).flatMap((trial) => trial[field] ?? []).sort((a, b) => a - b);
  const middle = values[Math.floor((values.length - 1) / 2)];
  const next = values[Math.ceil((values.length - 1) / 2)];
  return middle === undefined || next === undefined ? null : (middle + next) / 2;
}
