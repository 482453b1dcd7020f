import { createHash } from 'node:crypto';
import { type ComparedCase, isMeasured, scorecardOf } from '../../../evaluation/index.ts';
import { canonicalJson } from '../../../platform/canonical.ts';
import type { RowOf } from '../../../platform/database/columns.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as compare from '../../../platform/database/queries/eval-compare.ts';
import type { RunRow } from '../../../platform/database/queries/eval-runs.ts';
import { mapYielding } from '../../../platform/flow/yielding.ts';
import { snapshotOf } from '../find.ts';
import { integrityOf, scoredTrials } from '../integrity.ts';
import type { PlannedCase, RunSnapshot } from '../snapshot.ts';
import { trialPlan } from '../trial-plan.ts';

export type ScoreRow = RowOf<typeof compare.scores.gives>;

/** One of the two compared runs, with its cases. */
export interface Side {
  run: RunRow;
  cases: ComparedCase[];
  /** By case key. */
  scores: Map<string, ScoreRow[]>;
  configs: Map<string, string>;
  definitions: Map<string, { gating: boolean; deterministic: boolean }>;
}

export interface ScoredSide extends Side {
  scoreIntegrity: 'valid' | 'invalid' | null;
  quarantined: number;
}

/**
 * Adds the scores and their integrity. If the run's integrity is not known to be good, reads every score to determine
 * it.
 */
export async function scoredSideOf(db: Db, run: RunRow): Promise<ScoredSide> {
  const snapshot = await snapshotOf({ db }, run.id);
  const side = await sideOf(db, run, snapshot);
  if (run.scoreIntegrity === 'valid') return { ...side, scoreIntegrity: 'valid', quarantined: 0 };
  const scored = await scoredTrials(db, run.id, snapshot);
  return { ...side, scoreIntegrity: integrityOf(scored), quarantined: scored.quarantined };
}

export async function sideOf(db: Db, run: RunRow, known?: RunSnapshot): Promise<Side> {
  const snapshot = known ?? (await snapshotOf({ db }, run.id));
  const trials = byPlace(await db.rows(compare.trials, { runId: run.id }));
  const scores = byPlace(await db.rows(compare.scores, { runId: run.id }));
  const side: Side = { run, cases: [], scores: new Map(), configs: new Map(), definitions: new Map() };
  await mapYielding(snapshot.cases, (planned) =>
    planned.variants.forEach((_, variant) => {
      const place = `${planned.id} ${variant}`;
      const key = keyOf(planned, variant);
      side.cases.push({
        key,
        title: planned.title,
        configHash: configHash(planned, variant),
        threshold: thresholdOf(snapshot, planned),
        trials: (trials.get(place) ?? []).map(
          ({ id, status, result, evaluatorError, durationMs, totalTokens, costMicros }) => ({
            iterationId: id,
            passed: isMeasured({ status, result, evaluatorError }) ? result === 'passed' : undefined,
            durationMs,
            totalTokens,
            costMicros,
          }),
        ),
      });
      side.scores.set(key, scores.get(place) ?? []);
      if (snapshot.reported) return noteReported(side, key, snapshot, planned);
      const { config, definitions } = scorecardOf(trialPlan(planned, snapshot));
      side.configs.set(key, config.hash);
      for (const { definition } of definitions)
        side.definitions.set(definition.scorerId, {
          gating: definition.role === 'gating',
          deterministic: definition.deterministic,
        });
    }),
  );
  return side;
}

function noteReported(side: Side, key: string, { scorings }: RunSnapshot, { scoring }: PlannedCase): void {
  if (scoring === undefined) return;
  side.configs.set(key, scoring);
  for (const [scorerId, nature] of Object.entries(scorings?.[scoring] ?? {}))
    side.definitions.set(scorerId, nature);
}

/**
 * Identifies a case across runs. In a run with several models, the key includes the model, so each model compares as a
 * separate case.
 */
function keyOf({ declaredId, variants }: PlannedCase, variant: number): string {
  const { provider, model } = variants[variant] ?? { provider: '', model: '' };
  return variants.length === 1 ? declaredId : `${declaredId} (${provider}/${model})`;
}

function thresholdOf({ policy, minimumPassRate }: RunSnapshot, { passThreshold }: PlannedCase): number {
  return policy === 2 ? passThreshold : minimumPassRate / 100;
}

/** Hash of everything that decides how a case runs and is judged. The number of trials is not included. */
function configHash(planned: PlannedCase, variant: number): string {
  const { steps, isNegative, expectedOutput, checks, match, failOnToolError, passThreshold, variants } =
    planned;
  const content = [
    steps,
    isNegative,
    expectedOutput,
    checks,
    match,
    failOnToolError,
    passThreshold,
    variants[variant],
  ];
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}

/** Groups rows by case and model, keeping their order. */
function byPlace<Row extends { caseId: string; variant: number }>(rows: readonly Row[]): Map<string, Row[]> {
  const places = new Map<string, Row[]>();
  for (const row of rows) {
    const place = `${row.caseId} ${row.variant}`;
    const known = places.get(place);
    if (known) known.push(row);
    else places.set(place, [row]);
  }
  return places;
}
