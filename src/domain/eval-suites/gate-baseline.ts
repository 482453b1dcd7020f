import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/eval-runs.ts';
import { invalid } from '../base/refusals.ts';
import type { SuiteSettings } from './settings.ts';

/**
 * A new gate baseline must be a run of the project; any other run is refused as missing. An unchanged baseline is
 * kept, even if its run has been deleted.
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
