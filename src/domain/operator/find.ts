import type { Db } from '../../platform/database/database.ts';
import * as organizations from '../../platform/database/queries/organizations.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import * as users from '../../platform/database/queries/users.ts';
import { OperatorProblem } from '../../platform/problem.ts';

const maxShown = 10;

/** Lists the possible matches in the error message. */
function candidates(things: readonly { id: string; name: string }[]): string {
  if (things.length === 0) return 'none';
  const shown = things.slice(0, maxShown).map(({ id, name }) => `${name} (${id})`);
  return `${shown.join(', ')}${things.length > maxShown ? ' and others' : ''}`;
}

export function listOrganizations(db: Db): Promise<organizations.OrganizationRow[]> {
  return db.rows(organizations.list, { idOrName: null });
}

export function listUsers(db: Db): Promise<users.UserRow[]> {
  return db.rows(users.list, { idOrEmail: null });
}

/** Finds an organization by ID or name. Default: the only organization. */
export async function organizationNamed(
  db: Db,
  idOrName: string | undefined,
): Promise<organizations.OrganizationRow> {
  const found = await db.rows(organizations.list, { idOrName: idOrName ?? null });
  const [first] = found;
  if (first && found.length === 1) return first;
  if (idOrName === undefined)
    throw new OperatorProblem(`Name the organization with --organization: ${candidates(found)}`);
  throw new OperatorProblem(
    first
      ? `Several organizations are named "${idOrName}". Use an ID: ${candidates(found)}`
      : `No organization ${idOrName}. Available: ${candidates(await listOrganizations(db))}`,
  );
}

/** Finds a user by ID or email address. Default: the only user. */
export async function userNamed(db: Db, idOrEmail: string | undefined): Promise<users.UserRow> {
  const user = idOrEmail === undefined ? undefined : await db.row(users.list, { idOrEmail });
  if (user) return user;
  const all = await listUsers(db);
  const [first] = all;
  if (first && all.length === 1 && idOrEmail === undefined) return first;
  const known = candidates(all.map(({ id, email }) => ({ id, name: email })));
  throw new OperatorProblem(
    idOrEmail === undefined
      ? `Name the user with --user: ${known}`
      : `No user ${idOrEmail}. Available: ${known}`,
  );
}

/** Finds a project by ID or name. Default: the only Default project. */
export async function projectNamed(db: Db, idOrName: string | undefined): Promise<projects.ProjectPlace> {
  const found = await (idOrName === undefined
    ? db.rows(projects.defaults)
    : db.rows(projects.named, { idOrName }));
  const exact = found.find(({ id }) => id === idOrName) ?? found[0];
  if (exact && (found.length === 1 || exact.id === idOrName)) return exact;
  if (idOrName === undefined)
    throw new OperatorProblem(`Name the project with --project: ${candidateProjects(found)}`);
  throw new OperatorProblem(
    exact
      ? `Several projects are named "${idOrName}". Use an ID: ${candidateProjects(found)}`
      : `No project ${idOrName}. Available: ${candidateProjects(await db.rows(projects.some))}`,
  );
}

function candidateProjects(places: readonly projects.ProjectPlace[]): string {
  return candidates(
    places.map(({ id, name, organizationName }) => ({ id, name: `${name} of ${organizationName}` })),
  );
}

/** A transaction that writes inside a project; such writes of operators are serialized per project. */
export function writeAsOperator<T>(
  db: Db,
  { id }: projects.ProjectPlace,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  return db.transaction(async (trx) => {
    if (!(await trx.row(projects.hold, { id }))) throw new OperatorProblem(`No project ${id}`);
    await trx.row(projects.lockForUpdate, { id });
    return work(trx);
  });
}
