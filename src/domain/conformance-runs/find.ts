import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/conformance-runs.ts';
import type { ProjectContext } from '../context.ts';
import { found } from '../refusals.ts';

export type Run = runs.ConformanceRunRow;

export async function findConformanceRun(
  { db, project }: Pick<ProjectContext, 'db' | 'project'>,
  id: string,
): Promise<Run> {
  return found(await db.row(runs.find, { projectId: project.id, id }), 'conformance run');
}

/** Held in the transaction. */
export async function lockConformanceRun(db: Db, projectId: string, id: string): Promise<Run> {
  return found(await db.row(runs.lock, { projectId, id }), 'conformance run');
}

export function isOpen({ status }: Pick<Run, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

/** What the names begin with that runs here are known by, when whoever starts them gives a key. */
export function hostedNames(projectId: string): string {
  return `api:${projectId}:`;
}
