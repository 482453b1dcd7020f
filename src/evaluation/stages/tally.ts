import { byCodeUnit } from '../../platform/canonical.ts';
import type { Stage, StageReason, StageResult } from '../stage.ts';

/** Number of excluded trials by kind; kinds without trials are absent. */
export type StageExclusions = Partial<
  Record<'lifecycle' | 'integrity' | 'version' | 'notApplicable' | 'reachUnknown' | 'notMeasured', number>
>;

export interface Latency<Basis extends string> {
  unit: 'ms';
  basis: Basis;
  sampleCount: number;
  totalMs: number;
  minMs: number;
  maxMs: number;
}

/**
 * Counts of the included trials at one stage: passed + failed = measured, measured + notMeasured = reached,
 * reached + notReached + reachUnknown = applicable.
 */
export interface StageTally {
  stage: Stage;
  applicable: number;
  reached: number;
  notReached: number;
  reachUnknown: number;
  measured: number;
  passed: number;
  failed: number;
  notMeasured: number;
  notApplicable: number;
  excluded: StageExclusions;
  reasons: { reason: StageReason; count: number }[];
  latency?: Latency<'evidence_span_union'>;
}

/** The independent counts; the others are derived. */
export interface Tally {
  stage: Stage;
  passed: number;
  failed: number;
  notMeasured: number;
  notReached: number;
  reachUnknown: number;
  notApplicable: number;
  reasons: Map<StageReason, number>;
  latency: Latency<'evidence_span_union'> | undefined;
}

export function newTally(stage: Stage): Tally {
  return {
    stage,
    passed: 0,
    failed: 0,
    notMeasured: 0,
    notReached: 0,
    reachUnknown: 0,
    notApplicable: 0,
    reasons: new Map(),
    latency: undefined,
  };
}

/** Reasons of unmeasured stages that imply that the stage was reached. */
const reachedUnmeasured: ReadonlySet<StageReason | undefined> = new Set([
  'evaluatorError',
  'matchVerdictUnavailable',
  'judgePending',
  'judgePartial',
  'judgeFailed',
  'judgeNotRequested',
]);

/** Adds the chain of one trial. `tallies` and `rows` have the stages in the same order. */
export function tallyChain(
  tallies: readonly Tally[],
  rows: readonly StageResult[],
  stageMs: Partial<Record<Stage, number>>,
): void {
  const lastMeasured = rows.findLastIndex(({ state }) => state === 'passed' || state === 'failed');
  rows.forEach(({ stage, state, reason }, at) => {
    const tally = tallies[at];
    if (!tally) return;
    const unsure = state === 'notMeasured' && at > lastMeasured && !reachedUnmeasured.has(reason);
    tally[unsure ? 'reachUnknown' : state]++;
    if (reason) tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
    const ms = stageMs[stage];
    if (ms !== undefined && (state === 'passed' || state === 'failed'))
      tally.latency = joined(tally.latency, measured('evidence_span_union', [ms]));
  });
}

export function shownTally(tally: Tally, excludedTrials: StageExclusions): StageTally {
  const { stage, passed, failed, notMeasured, notReached, reachUnknown, notApplicable, latency } = tally;
  const measuredTrials = passed + failed;
  const reached = measuredTrials + notMeasured;
  return {
    stage,
    applicable: reached + notReached + reachUnknown,
    reached,
    notReached,
    reachUnknown,
    measured: measuredTrials,
    passed,
    failed,
    notMeasured,
    notApplicable,
    excluded: {
      ...excludedTrials,
      ...(notApplicable > 0 && { notApplicable }),
      ...(reachUnknown > 0 && { reachUnknown }),
      ...(notMeasured > 0 && { notMeasured }),
    },
    reasons: [...tally.reasons]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || byCodeUnit(a.reason, b.reason)),
    ...(latency && { latency }),
  };
}

export function measured<Basis extends string>(
  basis: Basis,
  samples: readonly number[],
): Latency<Basis> | undefined {
  return samples.reduce<Latency<Basis> | undefined>(
    (sum, ms) => joined(sum, { unit: 'ms', basis, sampleCount: 1, totalMs: ms, minMs: ms, maxMs: ms }),
    undefined,
  );
}

function joined<Basis extends string>(
  a: Latency<Basis> | undefined,
  b: Latency<Basis> | undefined,
): Latency<Basis> | undefined {
  if (!a || !b) return a ?? b;
  return {
    unit: 'ms',
    basis: a.basis,
    sampleCount: a.sampleCount + b.sampleCount,
    totalMs: a.totalMs + b.totalMs,
    minMs: Math.min(a.minMs, b.minMs),
    maxMs: Math.max(a.maxMs, b.maxMs),
  };
}
