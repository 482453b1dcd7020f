import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import { invalid } from '../invalid.ts';
import type { SuiteSettings } from './settings.ts';

/**
 * A gate compares with a run of its own project; a run of others is refused like one that never was. A baseline that the
 * suite has already stays, also when its run is gone since.
 */
export async function checkGateBaseline(
  db: Db,
  projectId: string,
  after: SuiteSettings,
  before?: SuiteSettings,
): Promise<void> {
  const id = baselineRunOf(after);
  if (id === undefined || id === (before && baselineRunOf(before))) return;
  if (!(await db.row(runs.find, { projectId, id })))
    throw invalid(
      `settings.qualityGate.baseline.runId: There is no run ${JSON.stringify(id)} in this project. Name one of its eval runs`,
    );
}

function baselineRunOf({ qualityGate }: SuiteSettings): string | undefined {
  const baseline = qualityGate?.baseline;
  return baseline && 'runId' in baseline ? baseline.runId : undefined;
}
