import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as trials from '../../platform/database/queries/eval-trials.ts';
import { found } from '../base/refusals.ts';
import type { InProject, ProjectContext } from '../context/context.ts';
import type { RunSnapshot } from './snapshot.ts';

export async function findRun({ db, project }: InProject, id: string): Promise<runs.RunRow> {
  return found(await db.row(runs.find, { projectId: project.id, id }), 'run');
}

export async function findTrial(
  context: Pick<ProjectContext, 'db' | 'project'>,
  runId: string,
  id: string,
): Promise<{ run: runs.RunRow; trial: trials.ListedTrial }> {
  const run = await findRun(context, runId);
  return { run, trial: found(await context.db.row(trials.find, { runId: run.id, id }), 'iteration') };
}

export async function snapshotOf({ db }: Pick<ProjectContext, 'db'>, runId: string): Promise<RunSnapshot> {
  return (await db.one(runs.snapshot, { runId })).snapshot as RunSnapshot;
}
