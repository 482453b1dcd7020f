import { Refusal } from '../contract/errors.ts';
import { type Operation, paramNames } from '../contract/operation.ts';
import type { Db } from '../platform/database/database.ts';
import { findProject, holdProject, type ProjectRow } from '../platform/database/queries/projects.ts';
import { findSecret } from '../platform/database/queries/secrets.ts';
import type { Context, ProjectContext } from './context.ts';
import { noSuchSecret } from './secrets/rules.ts';

/** The project in the path, if the actor may do this there. */
export function admit({ actor }: Context, operation: Operation): ProjectRow {
  const { project } = actor.path;
  if (!project) throw noSuchProject();
  if (operation.access === 'project admin' && project.role !== 'admin') throw adminNeeded();
  return project;
}

interface Ownable {
  /** As far as the user may see it. It stays personal or shared for as long as it exists. */
  find: (
    db: Db,
    projectId: string,
    userId: string,
    id: string,
  ) => Promise<{ ownerId: string | null } | undefined>;
  missing: () => Refusal;
}

/** What can be personal, by the path parameter that names it. */
const ownables: Record<string, Ownable> = {
  secretId: { find: findSecret, missing: noSuchSecret },
};

/** What is personal is its owner's to change, what is shared the administrators'. */
export async function admitOwner(
  { db, project, actor }: ProjectContext,
  operation: Operation,
  input: Record<string, unknown>,
): Promise<void> {
  const name = paramNames(operation.path).find((param) => Object.hasOwn(ownables, param)) ?? '';
  const ownable = ownables[name];
  if (!ownable) throw new Error(`nothing in the path of ${operation.id} can be personal`);
  const thing = await ownable.find(db, project.id, actor.user.id, input[name] as string);
  if (!thing) throw ownable.missing();
  if (thing.ownerId !== actor.user.id && project.role !== 'admin') throw adminNeeded();
}

function adminNeeded(): Refusal {
  return new Refusal('FORBIDDEN', 'This needs an administrator of the project');
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

/** Whose sealed values are made in this context. */
export function ownerIn({ actor, project }: ProjectContext): { organizationId: string; projectId: string } {
  return { organizationId: actor.organization.id, projectId: project.id };
}
