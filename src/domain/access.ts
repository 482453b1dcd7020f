import { Refusal } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import type { Db } from '../platform/database/database.ts';
import { findProject, holdProject, type ProjectRow } from '../platform/database/queries/projects.ts';
import type { Context, ProjectContext } from './context.ts';

/** The project in the path, if the actor may do this there. */
export function admit({ actor }: Context, operation: Operation): ProjectRow {
  const { project } = actor.path;
  if (!project) throw noSuchProject();
  if (operation.access === 'project admin' && project.role !== 'admin')
    throw new Refusal('FORBIDDEN', 'This needs an administrator of the project');
  return project;
}

/** What the actor may not see does not exist. */
export async function projectOf(context: Context, projectId: string): Promise<ProjectRow> {
  const { organization, user } = context.actor;
  const viewer = { organizationId: organization.id, userId: user.id, role: context.actor.role };
  const project = await findProject(context.db, viewer, projectId);
  if (!project) throw noSuchProject();
  return project;
}

export function noSuchProject(): Refusal {
  return new Refusal('NOT_FOUND', 'No such project');
}

/**
 * A transaction that writes inside a project. The project is taken hold of first: it cannot vanish half-way,
 * and writers and the deletion of the project meet in one order instead of waiting for each other.
 */
export function writeInProject<T>(context: ProjectContext, work: (db: Db) => Promise<T>): Promise<T> {
  return context.db.transaction(async (db) => {
    if (!(await holdProject(db, context.project.id))) throw noSuchProject();
    return work(db);
  });
}
