import { byCodeUnit } from '../../platform/canonical.ts';
import { incompleteness, type TrialStatus } from '../lifecycle.ts';
import type { SetupFailure } from '../outcome.ts';
import { type FailureCategory, type Stage, stageAnalyzerVersion, stages } from '../stage.ts';
import { type Slice, type SliceCount, sliceKey, slicesOf, type Truncation, withinCap } from './slices.ts';
import {
  type Latency,
  measured,
  newTally,
  type StageExclusions,
  type StageTally,
  shownTally,
  type Tally,
  tallyChain,
} from './tally.ts';
import { type StoredChain, verifyChain } from './verify.ts';

/** The fields of a trial that the stage analytics of its run use. */
export interface TrialToCount extends StoredChain {
  status: TrialStatus;
  evaluatorError: boolean;
  intent: string | null;
  model?: { provider: string; model: string } | undefined;
  host?: { hostKey: string; hostName?: string | undefined; executionEngine?: string | undefined } | undefined;
  /** Milliseconds covered by the spans of each stage. */
  stageMs?: Partial<Record<Stage, number>> | undefined;
  /** Setup attempts before the trial. Trials that share a connection share its attempt. */
  setup?: readonly SetupAttempt[] | undefined;
}

export interface SetupAttempt {
  attemptId: string;
  phase: SetupFailure['phase'];
  /** Party to which the failure is attributed; undefined if the attempt succeeded. */
  failure?: SetupFailure['attributed'] | undefined;
  ms?: number | undefined;
}

/** Number of excluded trials by reason; reasons without trials are absent. */
type CoverageDetail = Partial<Record<keyof typeof exclusionOf, number>>;

const exclusionOf = {
  notTerminal: 'lifecycle',
  skipped: 'lifecycle',
  cancelled: 'lifecycle',
  setupFailed: 'lifecycle',
  timedOut: 'lifecycle',
  executionFailed: 'lifecycle',
  evaluatorError: 'lifecycle',
  chainMissing: 'integrity',
  chainUnverified: 'integrity',
  chainVersionAhead: 'version',
  analyzerMismatch: 'version',
} as const;

interface SliceRow {
  slice: Slice;
  includedTrials: number;
  excludedTrials: StageExclusions;
  failureCategories: { category: FailureCategory; count: number }[];
  stages: StageTally[];
}

interface SetupTally {
  phase: SetupFailure['phase'];
  uniqueAttempts: number;
  failedAttempts: number;
  serverAttributedFailures: number;
  impactedTrials: number;
  latency?: Latency<'setup_phase_wall'>;
}

/** Stage statistics over the trials of a run. */
export interface StageAnalytics {
  schemaVersion: 1;
  measurementUnit: 'trial';
  stageAnalyzerVersion: number;
  sourceStageAnalyzerVersions?: number[];
  measurementsSchemaVersion: 1;
  includedTrials: number;
  excludedTrials: StageExclusions;
  totalTrials: number;
  excludedTrialDetail: CoverageDetail;
  slices: SliceRow[];
  setup: SetupTally[];
  sliceTruncation?: Truncation[];
}

interface SliceTally {
  slice: Slice;
  included: number;
  excluded: StageExclusions;
  categories: Map<FailureCategory, number>;
  stages: Tally[];
}

interface PhaseTally {
  /** By ID of the attempt. */
  attempts: Map<string, SetupAttempt>;
  impacted: number;
}

/** Running counts. */
export interface StageCount {
  total: number;
  detail: CoverageDetail;
  versions: Set<number>;
  slices: Map<string, SliceTally>;
  phases: Record<SetupFailure['phase'], PhaseTally>;
}

export function newStageCount(): StageCount {
  const phase = (): PhaseTally => ({ attempts: new Map(), impacted: 0 });
  const count: StageCount = {
    total: 0,
    detail: {},
    versions: new Set(),
    slices: new Map(),
    phases: { connection: phase(), discovery: phase() },
  };
  sliceOf(count, { dimension: 'overall' });
  return count;
}

/** Counts one more trial. The order of trials does not matter. */
export function countTrial(count: StageCount, trial: TrialToCount): void {
  count.total++;
  if (typeof trial.stageAnalyzerVersion === 'number') count.versions.add(trial.stageAnalyzerVersion);
  countSetup(count, trial.setup ?? []);
  const chain = verifyChain(trial);
  const excluded = exclusion(trial, chain);
  if (excluded) count.detail[excluded] = (count.detail[excluded] ?? 0) + 1;
  for (const slice of slicesOf(trial)) {
    const tally = sliceOf(count, slice);
    if (excluded || chain.status !== 'verified') {
      const kind = exclusionOf[excluded ?? 'chainMissing'];
      tally.excluded[kind] = (tally.excluded[kind] ?? 0) + 1;
      continue;
    }
    tally.included++;
    tallyChain(tally.stages, chain.stages, trial.stageMs ?? {});
    const { failureCategory: category } = chain;
    if (category) tally.categories.set(category, (tally.categories.get(category) ?? 0) + 1);
  }
}

/** The counts as the API returns them; readers compute rates. */
export function stageAnalytics(count: StageCount): StageAnalytics {
  const overall = count.slices.get(sliceKey({ dimension: 'overall' })) as SliceTally;
  const sizes: SliceCount[] = [...count.slices.values()].map(({ slice, included }) => ({
    slice,
    trials: included,
  }));
  const { retained, truncation } = withinCap(sizes);
  return {
    schemaVersion: 1,
    measurementUnit: 'trial',
    stageAnalyzerVersion,
    ...(count.versions.size > 1 && {
      sourceStageAnalyzerVersions: [...count.versions].sort((a, b) => a - b),
    }),
    measurementsSchemaVersion: 1,
    includedTrials: overall.included,
    excludedTrials: overall.excluded,
    totalTrials: count.total,
    excludedTrialDetail: count.detail,
    slices: retained.map((slice) => rowOf(count.slices.get(sliceKey(slice)) as SliceTally)),
    setup: (['connection', 'discovery'] as const)
      .filter((phase) => count.phases[phase].attempts.size > 0)
      .map((phase) => setupTally(phase, count.phases[phase])),
    ...(truncation.length > 0 && { sliceTruncation: truncation }),
  };
}

function exclusion(
  { status, evaluatorError }: TrialToCount,
  chain: ReturnType<typeof verifyChain>,
): keyof CoverageDetail | undefined {
  if (status !== 'completed') return incompleteness[status];
  if (evaluatorError) return 'evaluatorError';
  if (chain.status === 'absent') return 'chainMissing';
  if (chain.analyzerVersionAhead) return 'chainVersionAhead';
  if (chain.status === 'unverified') return 'chainUnverified';
  return chain.analyzerVersion === stageAnalyzerVersion ? undefined : 'analyzerMismatch';
}

function countSetup(count: StageCount, attempts: readonly SetupAttempt[]): void {
  const failedPhases = new Set<SetupFailure['phase']>();
  for (const attempt of attempts) {
    count.phases[attempt.phase].attempts.set(attempt.attemptId, attempt);
    if (attempt.failure) failedPhases.add(attempt.phase);
  }
  for (const phase of failedPhases) count.phases[phase].impacted++;
}

function setupTally(phase: SetupFailure['phase'], { attempts, impacted }: PhaseTally): SetupTally {
  const all = [...attempts.values()];
  const latency = measured(
    'setup_phase_wall',
    all.flatMap(({ ms }) => (ms === undefined ? [] : [ms])),
  );
  return {
    phase,
    uniqueAttempts: all.length,
    failedAttempts: all.filter(({ failure }) => failure).length,
    serverAttributedFailures: all.filter(({ failure }) => failure === 'server').length,
    impactedTrials: impacted,
    ...(latency && { latency }),
  };
}

function sliceOf(count: StageCount, slice: Slice): SliceTally {
  const key = sliceKey(slice);
  const known = count.slices.get(key);
  if (known) return known;
  const made: SliceTally = {
    slice,
    included: 0,
    excluded: {},
    categories: new Map(),
    stages: stages.map(newTally),
  };
  count.slices.set(key, made);
  return made;
}

function rowOf({ slice, included, excluded, categories, stages }: SliceTally): SliceRow {
  return {
    slice,
    includedTrials: included,
    excludedTrials: excluded,
    failureCategories: [...categories]
      .map(([category, count]) => ({ category, count }))
      .sort((a, b) => b.count - a.count || byCodeUnit(a.category, b.category)),
    stages: stages.map((tally) => shownTally(tally, excluded)),
  };
}
