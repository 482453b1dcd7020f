import { Refusal } from '../../contract/errors.ts';
import type { Access, Route } from '../../contract/operation.ts';
import type { Kind } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import type { CallerRow } from '../../platform/database/queries/callers.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import * as secrets from '../../platform/database/queries/secrets.ts';
import type { Query } from '../../platform/database/query.ts';
import { found, notFound } from '../base/refusals.ts';
import {
  type Actor,
  type Context,
  type Person,
  type ProjectContext,
  type PublicContext,
  publicContext,
  type RequestInfo,
  type Services,
  type VisitorContext,
} from './context.ts';

/** Access levels of operations without a project in the path; the verb itself checks access. */
const settledInside: readonly Access[] = ['key', 'directory reader', 'requester', 'project viewer'];

/** The calling account, and the resources of the path as far as it can see them. */
type Known = { actor: Actor } & Pick<CallerRow, 'project' | 'projectClosed' | 'server'>;

/** Builds the context of an authorized caller; throws for everybody else. */
export async function admit(
  services: Services,
  requestInfo: RequestInfo,
  operation: Route,
  { actor, project, projectClosed, server }: Known,
  params: Record<string, string>,
): Promise<Context> {
  const known: Context = Object.assign(publicContext(services, requestInfo), { actor });
  if (settledInside.includes(operation.access)) return known;
  if (operation.access.startsWith('organization')) return admitToOrganization(known, operation, params);
  // The operation also admits visitors of a study, so the verb decides about a project the caller cannot see.
  if (!project && projectClosed && operation.access === 'project member or visitor') return known;
  if (!project) throw projectClosed ? closedProject() : noSuchProject();
  if (operation.access === 'project admin' && project.role !== 'admin') throw adminNeeded();
  const entered: ProjectContext = Object.assign(known, { project });
  if (operation.access === 'own or project admin') await admitOwner(entered, operation, params);
  if (params['serverId'] === undefined) return entered;
  if (!server) throw notFound('server');
  return Object.assign(entered, { server });
}

/** Builds the context of a console user. Operator-only operations refuse everybody else. */
export function admitPerson(
  context: PublicContext,
  { access }: Route,
  person: Person | undefined,
): VisitorContext {
  if (access === 'operator' && !person?.operator)
    throw new Refusal('FORBIDDEN', 'Only an operator of the installation can do this');
  const visitor = context.visit?.();
  if (!visitor) throw new Error('the console is entered with a browser');
  return Object.assign(context, { visitor, person });
}

/** An API key belongs to one organization. */
function admitToOrganization(
  context: Context,
  { access }: Route,
  { organizationId }: Record<string, string>,
): Context {
  const { organization, role } = context.actor;
  if (organization.id !== organizationId) throw new Refusal('NOT_FOUND', 'No such organization');
  if (access === 'organization admin' && role === 'member') throw administratorNeeded();
  return context;
}

export function administratorNeeded(): Refusal {
  return new Refusal('FORBIDDEN', 'Only an administrator of the organization can do this');
}

/** Resources that may be personal, by path parameter, with the query for their owner. */
const owners: Record<string, { thing: string; find: OwnerQuery }> = {
  secretId: { thing: 'secret', find: secrets.find },
};
type OwnerQuery = Query<
  { projectId: Kind<string>; userId: Kind<string>; id: Kind<string> },
  { ownerId: Kind<string | null> }
>;

/** A personal resource may be changed by its owner, a shared one by project administrators. */
async function admitOwner(
  { db, project, actor }: ProjectContext,
  operation: Route,
  params: Record<string, string>,
): Promise<void> {
  const name = operation.params.find((param) => Object.hasOwn(owners, param)) ?? '';
  const owner = owners[name];
  if (!owner) throw new Error(`nothing in the path of ${operation.id} can be personal`);
  const viewer = { projectId: project.id, userId: actor.user.id };
  const thing = found(await db.row(owner.find, { ...viewer, id: params[name] as string }), owner.thing);
  if (thing.ownerId !== actor.user.id && project.role !== 'admin') throw adminNeeded();
}

function adminNeeded(): Refusal {
  return new Refusal('FORBIDDEN', 'Only an administrator of the project can do this');
}

/** For a project named in the body or query. */
export async function projectOf(context: Context, projectId: string): Promise<projects.ProjectRow> {
  const row = await context.db.row(projects.find, { ...viewerOf(context), id: projectId });
  if (!row) throw noSuchProject();
  const { visible, ...project } = row;
  if (!visible) throw closedProject();
  return project;
}

/** Sets the project of the context. Work running for the caller then ends when the caller loses access to it. */
export async function enterProject(context: Context, projectId: string): Promise<ProjectContext> {
  const project = await projectOf(context, projectId);
  return Object.assign(context, { project });
}

export function viewerOf({ actor }: Context): projects.Viewer {
  return { organizationId: actor.organization.id, userId: actor.user.id, role: actor.role };
}

export function closedProject(): Refusal {
  return new Refusal('FORBIDDEN', 'This project is private. Ask one of its administrators to invite you');
}

export function noSuchProject(): Refusal {
  return new Refusal('NOT_FOUND', 'No such project');
}

/**
 * A transaction that writes inside a project. Locks the project first, so that it cannot be deleted meanwhile, and so
 * that writers and the deletion lock in the same order.
 */
export function writeInProject<T>(context: ProjectContext, work: (db: Db) => Promise<T>): Promise<T> {
  return context.db.transaction(async (db) => {
    if (!(await db.row(projects.hold, { id: context.project.id }))) throw noSuchProject();
    return work(db);
  });
}

/** Owner of secrets and files stored in this context. */
export function ownerIn({ actor, project }: ProjectContext): { organizationId: string; projectId: string } {
  return { organizationId: actor.organization.id, projectId: project.id };
}
