import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { type CaseComparison, compareCase, concluded, pairsOf } from '../../../evaluation/index.ts';
import * as compare from '../../../platform/database/queries/eval-compare.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import { mapYielding } from '../../../platform/flow/yielding.ts';
import type { Verb } from '../../context/verb.ts';
import { findSuite } from '../../eval-suites/suite.ts';
import { findRun } from '../find.ts';
import { presentSummary } from '../totals.ts';
import { baselineOf } from './baseline.ts';
import { diff } from './diff.ts';
import { scoreContract, scoreDeltas } from './scores.ts';
import { type Side, scoredSideOf } from './side.ts';

type Comparison = OutputOf<Operations['compareEvalRun']>;

/** Default for the maximum length of an error, in characters. */
const errorLength = 500;

export const compareEvalRun: Verb<'compareEvalRun'> = (context, input) =>
  // Reads both runs in one snapshot.
  context.db.snapshot(async (db) => {
    const moment = { ...context, db };
    const run = await findRun(moment, input.runId);
    const baseline = await baselineOf(moment, run, input);
    const suite = await findSuite(moment, run.suiteId);
    const [base, now] = [await scoredSideOf(db, baseline.run), await scoredSideOf(db, run)];
    // Yields between cases: a run may have thousands.
    const compared = await mapYielding(pairsOf(base.cases, now.cases), compareCase);
    const { cases, suite: difference } = concluded(compared);
    const shown = cases.flatMap(({ base: was, compare: is }) =>
      [was, is].flatMap((side) => side.representativeIterationId ?? []),
    );
    const errors = new Map(
      (await db.rows(compare.errors, { ids: shown, most: input.previewChars ?? errorLength })).map((row) => [
        row.id,
        row.error,
      ]),
    );
    const { policy, commitSha, branch, matches } = baseline;
    return {
      suite: { id: suite.id, name: suite.name },
      baseline: {
        policy,
        baseRunId: baseline.run.id,
        ...(commitSha !== undefined && { baseCommitSha: commitSha }),
        ...(branch !== undefined && { baseBranch: branch }),
        ...(matches !== undefined && { matchCount: matches }),
      },
      baseRun: presentSide(baseline.run),
      compareRun: presentSide(run),
      passSummary: passSummary(base, now),
      metrics: metricsOf(baseline.run, run),
      difference,
      scoreContract: scoreContract(base, now),
      cases: await mapYielding(cases, (one) => presentCase(one, base, now, errors)),
    };
  });

function presentCase(
  one: CaseComparison,
  base: Side,
  now: Side,
  errors: ReadonlyMap<string, string | null>,
): Comparison['cases'][number] {
  const { key, title, status, configChanged, difference, durationMs, tokens, costMicros, costed } = one;
  const withError = (side: CaseComparison['base']) => ({
    ...side,
    error: errors.get(side.representativeIterationId ?? '') ?? null,
  });
  const [was, is] = [base.configs.get(key), now.configs.get(key)];
  return {
    caseKey: key,
    title,
    status,
    configChanged,
    evaluationConfigChanged: was !== undefined && is !== undefined && was !== is,
    scoreDeltas: scoreDeltas(key, base, now),
    base: withError(one.base),
    compare: withError(one.compare),
    difference,
    metrics: {
      durationMs: diff(durationMs.base, durationMs.compare),
      totalTokens: diff(tokens.base, tokens.compare),
      estimatedCostUsd: diff(usd(costMicros.base), usd(costMicros.compare)),
      costCoverage: {
        base: { costed: costed.base, total: one.base.iterationIds.length },
        compare: { costed: costed.compare, total: one.compare.iterationIds.length },
      },
    },
  };
}

function usd(micros: number | null): number | null {
  return micros === null ? null : micros / 1_000_000;
}

function presentSide(run: RunRow): Comparison['baseRun'] {
  const { client, modelId, modelSource } = run;
  const name = (client as { name?: unknown } | null)?.name;
  return {
    id: run.id,
    runNumber: run.runNumber,
    result: run.result,
    createdAt: run.createdAt,
    completedAt: run.completedAt,
    summary: rated(presentSummary(run)),
    environment: run.environment,
    ...(modelId !== null && { effectiveModelId: modelId }),
    ...(modelSource !== null && { modelSource }),
    ...(typeof name === 'string' && { client: { name } }),
  };
}

/** Null if the run has no pass rate: trials that were not carried out cannot be compared. */
function rated(summary: ReturnType<typeof presentSummary>): Comparison['baseRun']['summary'] {
  return summary?.passRate === undefined ? null : { ...summary, passRate: summary.passRate };
}

function passSummary(base: Side, now: Side): Comparison['passSummary'] {
  return {
    passRatePercent: diff(ratePercent(base), ratePercent(now)),
    total: diff(base.run.finished, now.run.finished),
    passed: diff(base.run.passed, now.run.passed),
    failed: diff(base.run.failed, now.run.failed),
  };
}

/**
 * Pass rate over the measured trials, like the statistics of the run; null if the run ended before all its trials
 * did.
 */
function ratePercent({ run, cases }: Side): number | null {
  const measured = cases.flatMap(({ trials }) => trials.filter(({ passed }) => passed !== undefined));
  if (measured.length === 0 || presentSummary(run)?.passRate === undefined) return null;
  return (measured.filter(({ passed }) => passed).length / measured.length) * 100;
}

function metricsOf(base: RunRow, now: RunRow): Comparison['metrics'] {
  const wall = ({ startedAt, completedAt }: RunRow) =>
    startedAt === null || completedAt === null ? null : completedAt - startedAt;
  const tokens = ({ inputTokens, outputTokens }: RunRow) => inputTokens + outputTokens;
  const coverage = ({ costMicros, finished }: RunRow) => ({
    costed: costMicros === null ? 0 : finished,
    total: finished,
  });
  return {
    wallDurationMs: diff(wall(base), wall(now)),
    totalTokens: diff(tokens(base), tokens(now)),
    estimatedCostUsd: diff(usd(base.costMicros), usd(now.costMicros)),
    costCoverage: { base: coverage(base), compare: coverage(now) },
  };
}
