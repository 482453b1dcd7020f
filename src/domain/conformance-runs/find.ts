import type { Db } from '../../platform/database/database.ts';
import * as runs from '../../platform/database/queries/conformance-runs.ts';
import { found } from '../base/refusals.ts';
import type { ProjectContext } from '../context/context.ts';

export type ConformanceRun = runs.ConformanceRunRow;

export async function findConformanceRun(
  { db, project }: Pick<ProjectContext, 'db' | 'project'>,
  id: string,
): Promise<ConformanceRun> {
  return found(await db.row(runs.find, { projectId: project.id, id }), 'conformance run');
}

export async function lockConformanceRun(db: Db, projectId: string, id: string): Promise<ConformanceRun> {
  return found(await db.row(runs.lock, { projectId, id }), 'conformance run');
}

export function isOpen({ status }: Pick<ConformanceRun, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

/** Prefix of the external IDs of runs executed here, when the caller gives an idempotency key. */
export function hostedNames(projectId: string): string {
  return `api:${projectId}:`;
}
