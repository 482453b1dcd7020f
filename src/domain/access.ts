import { Refusal } from '../contract/errors.ts';
import type { Access, Operation } from '../contract/operation.ts';
import type { Kind } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import * as projects from '../platform/database/queries/projects.ts';
import * as secrets from '../platform/database/queries/secrets.ts';
import type { Query } from '../platform/database/query.ts';
import {
  type Context,
  type Occasion,
  type Person,
  type ProjectContext,
  type PublicContext,
  publicContext,
  type Services,
  type VisitorContext,
} from './context.ts';
import type { Identified } from './identity/authenticate.ts';
import { found, notFound } from './refusals.ts';

/** No project is in the path; what these look up decides who may see it. */
const settledInside: readonly Access[] = ['key', 'directory reader', 'requester', 'project viewer'];

/** The context of a caller who may do this; refuses everybody else. */
export async function admit(
  services: Services,
  occasion: Occasion,
  operation: Operation,
  { actor, project, projectClosed, server }: Identified,
  params: Record<string, string>,
): Promise<Context> {
  const known: Context = Object.assign(publicContext(services, occasion), { actor });
  if (settledInside.includes(operation.access)) return known;
  if (operation.access.startsWith('organization')) return admitToOrganization(known, operation, params);
  // Who is let in without seeing the project is looked up with what the path names.
  if (!project && projectClosed && operation.access === 'project member or visitor') return known;
  if (!project) throw projectClosed ? closedProject() : noSuchProject();
  if (operation.access === 'project admin' && project.role !== 'admin') throw adminNeeded();
  const entered: ProjectContext = Object.assign(known, { project });
  if (operation.access === 'own or project admin') await admitOwner(entered, operation, params);
  if (params['serverId'] === undefined) return entered;
  if (!server) throw notFound('server');
  return Object.assign(entered, { server });
}

/** The context of somebody at a browser; refuses those who do not run this installation what only such may do. */
export function admitPerson(
  context: PublicContext,
  { access }: Operation,
  person: Person | undefined,
): VisitorContext {
  if (access === 'operator' && !person?.operator)
    throw new Refusal('FORBIDDEN', 'This needs an operator of the installation');
  const visitor = context.visit?.();
  if (!visitor) throw new Error('the console is entered with a browser');
  return Object.assign(context, { visitor, person });
}

/** A key knows one organization. */
function admitToOrganization(
  context: Context,
  { access }: Operation,
  { organizationId }: Record<string, string>,
): Context {
  const { organization, role } = context.actor;
  if (organization.id !== organizationId) throw new Refusal('NOT_FOUND', 'No such organization');
  if (access === 'organization admin' && role === 'member') throw administratorNeeded();
  return context;
}

export function administratorNeeded(): Refusal {
  return new Refusal('FORBIDDEN', 'This needs an administrator of the organization');
}

/** What can be personal, by the path parameter that names it: who owns it, as far as the user may see it. */
const owners: Record<string, { thing: string; find: OwnerQuery }> = {
  secretId: { thing: 'secret', find: secrets.find },
};
type OwnerQuery = Query<
  { projectId: Kind<string>; userId: Kind<string>; id: Kind<string> },
  { ownerId: Kind<string | null> }
>;

/** What is personal is its owner's to change, what is shared the administrators'. */
async function admitOwner(
  { db, project, actor }: ProjectContext,
  operation: Operation,
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
  return new Refusal('FORBIDDEN', 'This needs an administrator of the project');
}

/** A project that is named elsewhere than in the path. */
export async function projectOf(context: Context, projectId: string): Promise<projects.ProjectRow> {
  const row = await context.db.row(projects.find, { ...viewerOf(context), id: projectId });
  if (!row) throw noSuchProject();
  const { visible, ...project } = row;
  if (!visible) throw closedProject();
  return project;
}

/** The same, from then on as the project of the context: what runs for the caller ends when it is closed to them. */
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
 * A transaction that writes inside a project. The project is taken hold of first: it cannot vanish half-way,
 * and writers and the deletion of the project meet in one order instead of waiting for each other.
 */
export function writeInProject<T>(context: ProjectContext, work: (db: Db) => Promise<T>): Promise<T> {
  return context.db.transaction(async (db) => {
    if (!(await db.row(projects.hold, { id: context.project.id }))) throw noSuchProject();
    return work(db);
  });
}

/** Whose sealed values are made in this context. */
export function ownerIn({ actor, project }: ProjectContext): { organizationId: string; projectId: string } {
  return { organizationId: actor.organization.id, projectId: project.id };
}
