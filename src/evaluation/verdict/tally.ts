import { incompleteness } from '../lifecycle.ts';
import { type Exclusion, type Exclusions, exclusionKinds, type Rate } from './decision.ts';
import type { TrialRecord } from './trials.ts';

/** Trial counts of a variant or of a run. Trials that are neither passed nor failed are excluded. */
export interface Tally {
  configured: number;
  completed: number;
  passed: number;
  failed: number;
  excluded: Exclusions;
}

/** Configured trials count as not terminal until they are reported. */
export function newTally(configured: number): Tally {
  return { configured, completed: 0, passed: 0, failed: 0, excluded: { notTerminal: configured } };
}

/** A completed trial without a result counts as an evaluator error. */
export function countTrial(tally: Tally, { status, result, evaluatorError }: TrialRecord): void {
  add(tally.excluded, 'notTerminal', -1);
  if (status === 'completed') tally.completed++;
  if (status !== 'completed') add(tally.excluded, incompleteness[status], 1);
  else if (evaluatorError || result === null) add(tally.excluded, 'evaluatorError', 1);
  else tally[result]++;
}

export function sumOf(tallies: Iterable<Tally>): Tally {
  const total: Tally = { configured: 0, completed: 0, passed: 0, failed: 0, excluded: {} };
  for (const tally of tallies) {
    total.configured += tally.configured;
    total.completed += tally.completed;
    total.passed += tally.passed;
    total.failed += tally.failed;
    for (const kind of exclusionKinds) add(total.excluded, kind, tally.excluded[kind] ?? 0);
  }
  return total;
}

/** Trials that ended and were neither skipped nor cancelled. */
export function attempted({ configured, excluded }: Tally): number {
  return unattempted.reduce((left, kind) => left - (excluded[kind] ?? 0), configured);
}

export function eligible({ passed, failed }: Tally): number {
  return passed + failed;
}

const unattempted = ['notTerminal', 'skipped', 'cancelled'] as const satisfies Exclusion[];

/** The share of the attempted trials that were completed. */
export function completionRate(tally: Tally): Rate {
  return rate(tally, tally.completed, attempted(tally), unattempted);
}

/** The share of the completed trials that could not be judged. */
export function evaluatorErrorRate(tally: Tally): Rate {
  const incomplete = exclusionKinds.filter((kind) => kind !== 'evaluatorError');
  return rate(tally, tally.excluded.evaluatorError ?? 0, tally.completed, incomplete);
}

export function eligibleRate(tally: Tally, numerator: number): Rate {
  return rate(tally, numerator, eligible(tally), exclusionKinds);
}

function rate({ excluded }: Tally, numerator: number, denominator: number, left: readonly Exclusion[]): Rate {
  const exclusions: Exclusions = {};
  for (const kind of left) if (excluded[kind]) exclusions[kind] = excluded[kind];
  return denominator === 0
    ? { state: 'notMeasured', value: null, numerator: 0, denominator: 0, exclusions }
    : { state: 'measured', value: numerator / denominator, numerator, denominator, exclusions };
}

function add(exclusions: Exclusions, kind: Exclusion, count: number): void {
  exclusions[kind] = (exclusions[kind] ?? 0) + count;
}
