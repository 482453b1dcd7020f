import type { Db } from '../../platform/database/database.ts';
import * as cases from '../../platform/database/queries/eval-cases.ts';
import type { RunCoverage, RunRow, RunTarget } from '../../platform/database/queries/eval-runs.ts';
import type { RunSnapshot } from './snapshot.ts';

/** Runs from before `coverage` was stored covered the whole suite, except reruns of failed cases. */
export function coverageOf({ coverage, metadata }: Pick<RunRow, 'coverage' | 'metadata'>): RunCoverage {
  if (coverage !== null) return coverage;
  return (metadata as { rerunOf?: unknown } | null)?.rerunOf === undefined ? 'suite' : 'cases';
}

/** Coverage of a run about to launch. A request that names every enabled case covers the whole suite. */
export async function coverageFor(
  db: Db,
  { suite, cases: planned }: Pick<RunSnapshot, 'suite' | 'cases'>,
  { chosen, isTry }: { chosen: boolean; isTry: boolean },
): Promise<RunCoverage> {
  if (isTry) return 'try';
  if (!chosen) return 'suite';
  const covered = new Set(planned.map(({ id }) => id));
  const enabled = await db.rows(cases.enabledIds, { suiteId: suite.id });
  return enabled.every(({ id }) => covered.has(id)) ? 'suite' : 'cases';
}

/** Models, environment, client and use of skills of a run. Runs are comparable only if all of them are equal. */
export function targetFor(snapshot: RunSnapshot, excludeSkills: boolean): RunTarget {
  const { cases: planned, environment, client } = snapshot;
  const models = planned.flatMap(({ variants }) => variants.map(({ model }) => model));
  return {
    models: Object.fromEntries(models.map((model) => [model, true as const])),
    environment: environment?.id ?? null,
    client: client?.id ?? null,
    ...(excludeSkills && { withoutSkills: true }),
  };
}
