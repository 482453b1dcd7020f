import type { Db } from '../../platform/database/database.ts';
import {
  findOrganizations,
  listOrganizationRows,
  type OrganizationRow,
} from '../../platform/database/queries/organizations.ts';
import {
  findProjects,
  holdProject,
  lineUpInProject,
  type ProjectPlace,
  someProjects,
} from '../../platform/database/queries/projects.ts';
import { findUser, listUserRows, type UserRow } from '../../platform/database/queries/users.ts';
import { OperatorProblem } from '../../platform/problem.ts';

const mostShown = 10;

/** What could be meant, to choose from without another command. */
function candidates(things: readonly { id: string; name: string }[]): string {
  if (things.length === 0) return 'there is none';
  const shown = things.slice(0, mostShown).map(({ id, name }) => `${name} (${id})`);
  return `${shown.join(', ')}${things.length > mostShown ? ' and others' : ''}`;
}

/** By id or name. Left out, the only organization there is. */
export async function organizationNamed(db: Db, idOrName: string | undefined): Promise<OrganizationRow> {
  const found =
    idOrName === undefined ? await listOrganizationRows(db) : await findOrganizations(db, idOrName);
  const [first] = found;
  if (first && found.length === 1) return first;
  if (idOrName === undefined)
    throw new OperatorProblem(`Name the organization with --org: ${candidates(found)}`);
  throw new OperatorProblem(
    first
      ? `Several organizations are called ${idOrName}; use the id: ${candidates(found)}`
      : `No organization ${idOrName}. There are: ${candidates(await listOrganizationRows(db))}`,
  );
}

/** By id or e-mail address. Left out, the only user there is. */
export async function userNamed(db: Db, idOrEmail: string | undefined): Promise<UserRow> {
  const user = idOrEmail === undefined ? undefined : await findUser(db, idOrEmail);
  if (user) return user;
  const all = await listUserRows(db);
  const [first] = all;
  if (first && all.length === 1 && idOrEmail === undefined) return first;
  const known = candidates(all.map(({ id, email }) => ({ id, name: email })));
  throw new OperatorProblem(
    idOrEmail === undefined
      ? `Name the user with --user: ${known}`
      : `No user ${idOrEmail}. There are: ${known}`,
  );
}

/** By id or name. Left out, the only Default project there is. */
export async function projectNamed(db: Db, idOrName: string | undefined): Promise<ProjectPlace> {
  const found = await findProjects(db, idOrName);
  const exact = found.find(({ id }) => id === idOrName) ?? found[0];
  if (exact && (found.length === 1 || exact.id === idOrName)) return exact;
  if (idOrName === undefined)
    throw new OperatorProblem(`Name the project with --project: ${candidateProjects(found)}`);
  throw new OperatorProblem(
    exact
      ? `Several projects are called ${idOrName}; use the id: ${candidateProjects(found)}`
      : `No project ${idOrName}. There are: ${candidateProjects(await someProjects(db))}`,
  );
}

function candidateProjects(projects: readonly ProjectPlace[]): string {
  return candidates(
    projects.map(({ id, name, organizationName }) => ({ id, name: `${name} of ${organizationName}` })),
  );
}

/** A transaction that writes inside a project, one operator at a time. */
export function writeAsOperator<T>(db: Db, project: ProjectPlace, work: (db: Db) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    if (!(await holdProject(trx, project.id))) throw new OperatorProblem(`No project ${project.id}`);
    await lineUpInProject(trx, project.id);
    return work(trx);
  });
}

export const listOrganizations = listOrganizationRows;
export const listUsers = listUserRows;
