import type { Db } from '../../platform/database/database.ts';
import * as cases from '../../platform/database/queries/eval-cases.ts';
import type { RunCoverage, RunRow, RunTarget } from '../../platform/database/queries/eval-runs.ts';
import type { RunSnapshot } from './snapshot.ts';

/** What a run covers. Versions before did not note it; they knew reruns of failed cases. */
export function coverageOf({ coverage, metadata }: Pick<RunRow, 'coverage' | 'metadata'>): RunCoverage {
  if (coverage !== null) return coverage;
  return (metadata as { rerunOf?: unknown } | null)?.rerunOf === undefined ? 'suite' : 'cases';
}

/** What a run is going to cover. Whoever names every case that is enabled means all of them. */
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

/** What another run has to share with it to be compared with. */
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
