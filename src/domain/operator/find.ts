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
} from '../../platform/database/queries/projects.ts';
import { findUser, listUserRows, type UserRow } from '../../platform/database/queries/users.ts';
import { OperatorProblem } from '../../platform/problem.ts';

/** By id or name. Left out, the only organization there is. */
export async function organizationNamed(db: Db, idOrName: string | undefined): Promise<OrganizationRow> {
  const found =
    idOrName === undefined ? await listOrganizationRows(db) : await findOrganizations(db, idOrName);
  if (found.length === 1) return found[0] as OrganizationRow;
  if (found.length === 0)
    throw new OperatorProblem(`No organization ${idOrName ?? 'exists'}. See: drydock orgs list`);
  const ids = found.map((row) => row.id).join(', ');
  throw new OperatorProblem(
    idOrName === undefined
      ? `There are several organizations; name one with --org: ${ids}`
      : `Several organizations are called ${idOrName}; use the id: ${ids}`,
  );
}

/** By id or e-mail address. Left out, the only user there is. */
export async function userNamed(db: Db, idOrEmail: string | undefined): Promise<UserRow> {
  if (idOrEmail === undefined) {
    const all = await listUserRows(db);
    if (all.length === 1) return all[0] as UserRow;
    throw new OperatorProblem('There are several users; name one with --user. See: drydock users list');
  }
  const user = await findUser(db, idOrEmail);
  if (!user) throw new OperatorProblem(`No user ${idOrEmail}. See: drydock users list`);
  return user;
}

/** By id or name. Left out, the only Default project there is. */
export async function projectNamed(db: Db, idOrName: string | undefined): Promise<ProjectPlace> {
  const found = await findProjects(db, idOrName);
  const exact = found.find(({ id }) => id === idOrName) ?? found[0];
  if (!exact) throw new OperatorProblem(`No project ${idOrName ?? 'exists'}`);
  if (found.length === 1 || exact.id === idOrName) return exact;
  const ids = found.map(({ id }) => id).join(', ');
  throw new OperatorProblem(
    idOrName === undefined
      ? `There are several organizations; name a project with --project: ${ids}`
      : `Several projects are called ${idOrName}; use the id: ${ids}`,
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
