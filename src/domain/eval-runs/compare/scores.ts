import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { diff } from './diff.ts';
import type { ScoredSide, ScoreRow, Side } from './side.ts';

type Comparison = OutputOf<Operations['compareEvalRun']>;
type Delta = Comparison['cases'][number]['scoreDeltas'][number];

/** Change of each score of a case: the difference of the means over its trials. */
export function scoreDeltas(key: string, base: Side, now: Side): Delta[] {
  const [was, is] = [base, now].map((side) => byScorer(side.scores.get(key) ?? [])) as [Rows, Rows];
  return idsOf(was, is).map((scorerId) => {
    const [before, after] = [was.get(scorerId), is.get(scorerId)];
    return {
      scorerId,
      ...natureOf(scorerId, base, now),
      definitionChanged: changed(before, after),
      base: standing(before),
      compare: standing(after),
      value: diff(before?.mean ?? null, after?.mean ?? null),
    };
  });
}

/** Change of each score over all cases, and whether the evaluation config changed. */
export function scoreContract(base: ScoredSide, now: ScoredSide): Comparison['scoreContract'] {
  const [was, is] = [base, now].map((side) => summed([...side.scores.values()].flat())) as [Rows, Rows];
  const evaluationConfigChanged = [...now.configs].some(([key, hash]) => {
    const before = base.configs.get(key);
    return before !== undefined && before !== hash;
  });
  return {
    base: contractSide(base),
    compare: contractSide(now),
    evaluationConfigChanged,
    scorers: idsOf(was, is).map((scorerId) => {
      const [before, after] = [was.get(scorerId), is.get(scorerId)];
      return {
        scorerId,
        ...natureOf(scorerId, base, now),
        definitionChanged: changed(before, after),
        passRate: diff(rateOf(before), rateOf(after)),
        meanValue: diff(before?.mean ?? null, after?.mean ?? null),
        errorCount: { base: before?.errors ?? 0, compare: after?.errors ?? 0 },
      };
    }),
  };
}

type Rows = Map<string, ScoreRow>;

function byScorer(rows: readonly ScoreRow[]): Rows {
  return new Map(rows.flatMap((row) => (row.scorerId === null ? [] : [[row.scorerId, row]])));
}

function summed(rows: readonly ScoreRow[]): Rows {
  const sums: Rows = new Map();
  for (const row of rows) {
    if (row.scorerId === null) continue;
    const known = sums.get(row.scorerId);
    sums.set(row.scorerId, known ? added(known, row) : row);
  }
  return sums;
}

function added(a: ScoreRow, b: ScoreRow): ScoreRow {
  const [ofA, ofB] = [a.scored ?? 0, b.scored ?? 0];
  const scored = ofA + ofB;
  return {
    ...a,
    scored,
    passed: (a.passed ?? 0) + (b.passed ?? 0),
    errors: (a.errors ?? 0) + (b.errors ?? 0),
    skipped: (a.skipped ?? 0) + (b.skipped ?? 0),
    mean: scored === 0 ? null : ((a.mean ?? 0) * ofA + (b.mean ?? 0) * ofB) / scored,
  };
}

function idsOf(was: Rows, is: Rows): string[] {
  return [...new Set([...is.keys(), ...was.keys()])];
}

function natureOf(scorerId: string, base: Side, now: Side): { gating: boolean; deterministic: boolean } {
  return (
    now.definitions.get(scorerId) ?? base.definitions.get(scorerId) ?? { gating: false, deterministic: false }
  );
}

function changed(before: ScoreRow | undefined, after: ScoreRow | undefined): boolean {
  return before !== undefined && after !== undefined && before.definitionHash !== after.definitionHash;
}

function standing(row: ScoreRow | undefined): Delta['base'] {
  if (!row) return null;
  const { scored, passed, errors, skipped, mean } = row;
  if (!scored) {
    const status = errors ? 'error' : skipped ? 'skipped' : 'not_applicable';
    return { status, value: null, passed: null };
  }
  return { status: 'scored', value: mean, passed: passed === scored };
}

function rateOf(row: ScoreRow | undefined): number | null {
  return row?.scored ? (row.passed ?? 0) / row.scored : null;
}

function contractSide({
  configs,
  scores,
  cases,
  scoreIntegrity,
  quarantined,
}: ScoredSide): Comparison['scoreContract']['base'] {
  const hashes = new Set(configs.values());
  const [only] = hashes;
  const scored = cases.filter(({ key }) => (scores.get(key) ?? []).length > 0);
  return {
    // Null if the cases have different configs; the per-case deltas say which changed.
    evaluationConfigHash: hashes.size === 1 ? (only ?? null) : null,
    scoreIntegrity,
    scoredIterations: scored.reduce((sum, { trials }) => sum + trials.length, 0),
    quarantinedIterations: quarantined,
  };
}
