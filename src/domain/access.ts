import { Refusal } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import { findProject, type ProjectRow } from '../platform/database/queries/projects.ts';
import type { Context } from './context.ts';

/** The project in the path, if the actor may do this there. */
export async function admit(context: Context, operation: Operation, projectId: string): Promise<ProjectRow> {
  const project = await projectOf(context, projectId);
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
