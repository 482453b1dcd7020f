import { Refusal } from '../../../contract/errors.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import type { InProject } from '../../context.ts';
import { invalid } from '../../invalid.ts';

export interface Baseline {
  run: runs.RunRow;
  policy: 'run' | 'previous_completed' | 'previous_completed_same_environment' | 'commit_sha';
  commitSha?: string;
  /** Runs of that commit, when there are several. */
  matches?: number;
}

interface Asked {
  baseRunId?: string | undefined;
  baseCommitSha?: string | undefined;
}

/** The run that another is held against. */
export async function baselineOf(
  { db, project }: InProject,
  { id, suiteId, environment }: runs.RunRow,
  { baseRunId, baseCommitSha: commitSha }: Asked,
): Promise<Baseline> {
  if (baseRunId !== undefined && commitSha !== undefined)
    throw invalid('Send either baseRunId or baseCommitSha');
  if (baseRunId !== undefined) {
    const run = await db.row(runs.find, { projectId: project.id, id: baseRunId });
    if (!run || run.suiteId !== suiteId)
      throw noBaseline(`There is no run ${baseRunId} of this suite`, { baseRunId });
    return { run, policy: 'run' };
  }
  if (commitSha !== undefined) {
    const [run, ...others] = await db.rows(runs.ofCommit, { suiteId, except: id, commitSha });
    if (!run)
      throw noBaseline(`No completed run of this suite is of the commit ${commitSha}`, {
        baseCommitSha: commitSha,
      });
    return { run, policy: 'commit_sha', commitSha, ...(others.length > 0 && { matches: others.length + 1 }) };
  }
  const before = { suiteId, before: id };
  if (environment) {
    const run = await db.row(runs.previous, { ...before, environmentId: environment.id });
    if (run) return { run, policy: 'previous_completed_same_environment' };
  }
  const run = await db.row(runs.previous, { ...before, environmentId: null });
  if (!run) throw noBaseline('No run of this suite was completed before this one', {});
  return { run, policy: 'previous_completed' };
}

function noBaseline(message: string, details: Record<string, string>): Refusal {
  return new Refusal('NOT_FOUND', message, { details: { reason: 'BASELINE_NOT_FOUND', ...details } });
}
