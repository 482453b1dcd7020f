import { type Db, selectList, statement } from '../database.ts';
import type { OrganizationRole } from './identity.ts';

export interface ProjectRow {
  id: string;
  organizationId: string;
  name: string;
  description: string | null;
  icon: string | null;
  visibility: 'public' | 'private';
  isDefault: boolean;
  role: 'admin' | 'member';
  createdAt: number;
  updatedAt: number;
}

export interface Viewer {
  organizationId: string;
  userId: string;
  role: OrganizationRole;
}

/**
 * Whether somebody with this role in the organization, perhaps invited to the project with another, sees the project.
 * Owners and admins administer every project; members see public projects and those they were invited to.
 */
export const mayView = (role: string, invited: string): string =>
  `(${role} <> 'member' or p.visibility = 'public' or ${invited} is not null)`;

export const projectColumns = (role: string, invited: string): Record<keyof ProjectRow, string> => ({
  id: 'p.id',
  organizationId: 'p.organization_id',
  name: 'p.name',
  description: 'p.description',
  icon: 'p.icon',
  visibility: 'p.visibility',
  isDefault: 'p.is_default',
  role: `case when ${role} <> 'member' then 'admin' else coalesce(${invited}, 'member') end`,
  createdAt: 'p.created_at',
  updatedAt: 'p.updated_at',
});

// $1 organization, $2 user, $3 the user's role there. A deleted project is gone, although its content goes later.
const ofOrganization = `
  from projects p left join project_members m on m.project_id = p.id and m.user_id = $2
  where p.organization_id = $1 and p.deleted_at is null`;
const visible = `${ofOrganization} and ${mayView('$3', 'm.role')}`;

const columns = selectList(projectColumns('$3', 'm.role'));

const find = statement<ProjectRow & { visible: boolean }>(
  'projects.find',
  `select ${columns}, ${mayView('$3', 'm.role')} as visible ${ofOrganization} and p.id = $4`,
);
// Served by projects_organization.
const list = statement<ProjectRow>(
  'projects.list',
  `select ${columns} ${visible} and p.id > $4 order by p.id limit $5`,
);
// Keeps the project from being deleted until the transaction ends; others may hold it too.
const hold = statement<object>(
  'projects.hold',
  'select 1 from projects where id = $1 and deleted_at is null for key share',
);
// Waits for those who hold the project, and they for it: nobody writes into a deleted project.
const lockForDeletion = statement<object>(
  'projects.lock-for-deletion',
  'select 1 from projects where organization_id = $1 and id = $2 and deleted_at is null for update',
);
const markDeleted = statement(
  'projects.mark-deleted',
  'update projects set deleted_at = now() where id = $1',
);
const insert = statement(
  'projects.insert',
  `insert into projects (id, organization_id, name, description, icon, visibility, is_default)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
const insertMember = statement(
  'projects.insert-member',
  `insert into project_members (project_id, user_id, role) values ($1, $2, $3)
   on conflict (project_id, user_id) do update set role = excluded.role`,
);
const removeMember = statement(
  'projects.remove-member',
  'delete from project_members where project_id = $1 and user_id = $2',
);
const update = statement(
  'projects.update',
  `update projects set name = coalesce($3, name), visibility = coalesce($6, visibility), updated_at = now(),
     description = case when $7 then $4 else description end, icon = case when $8 then $5 else icon end
   where organization_id = $1 and id = $2 and deleted_at is null`,
);

const findDefault = statement<ProjectRow>(
  'projects.find-default',
  `select ${columns} ${visible} and p.is_default`,
);
const viewer = (by: Viewer): unknown[] => [by.organizationId, by.userId, by.role];

/** A project of the viewer's organization, and whether the viewer may see it. */
export function findProject(
  db: Db,
  by: Viewer,
  id: string,
): Promise<(ProjectRow & { visible: boolean }) | undefined> {
  return db.row(find, [...viewer(by), id]);
}

export function listProjectRows(db: Db, by: Viewer, after: string, most: number): Promise<ProjectRow[]> {
  return db.rows(list, [...viewer(by), after, most]);
}

// Excludes others who ask for it, but not those who only hold the project.
const lineUp = statement<object>(
  'projects.line-up',
  'select 1 from projects where id = $1 for no key update',
);

/** One at a time within a project, until the transaction ends. */
export async function lineUpInProject(db: Db, id: string): Promise<void> {
  await db.row(lineUp, [id]);
}

export async function holdProject(db: Db, id: string): Promise<boolean> {
  return (await db.row(hold, [id])) !== undefined;
}

export interface ProjectPlace {
  id: string;
  organizationId: string;
  organizationName: string;
  name: string;
}

// For the operator, who sees every organization.
const places = `select p.id, p.organization_id as "organizationId", o.name as "organizationName", p.name
   from projects p join organizations o on o.id = p.organization_id`;
const named = statement<ProjectPlace>(
  'projects.named',
  `${places} where (p.id = $1 or p.name = $1) and p.deleted_at is null order by p.id limit 20`,
);
const defaults = statement<ProjectPlace>(
  'projects.defaults',
  `${places} where p.is_default order by p.id limit 20`,
);
const some = statement<ProjectPlace>('projects.some', `${places} order by p.id limit 20`);

/** By id or name, in any organization; left out, the Default projects. */
export function findProjects(db: Db, idOrName: string | undefined): Promise<ProjectPlace[]> {
  return idOrName === undefined ? db.rows(defaults) : db.rows(named, [idOrName]);
}

/** A few, of any organization. */
export function someProjects(db: Db): Promise<ProjectPlace[]> {
  return db.rows(some);
}

export interface NewProject {
  id: string;
  organizationId: string;
  name: string;
  description?: string | undefined;
  icon?: string | undefined;
  visibility?: 'public' | 'private' | undefined;
  isDefault?: boolean;
}

export async function insertProject(db: Db, project: NewProject): Promise<void> {
  const { id, organizationId, name, description, icon, visibility = 'public', isDefault = false } = project;
  await db.run(insert, [id, organizationId, name, description, icon, visibility, isDefault]);
}

export async function setProjectMember(
  db: Db,
  projectId: string,
  userId: string,
  role: 'admin' | 'member',
): Promise<void> {
  await db.run(insertMember, [projectId, userId, role]);
}

export function removeProjectMember(db: Db, projectId: string, userId: string): Promise<number> {
  return db.run(removeMember, [projectId, userId]);
}

/** What is undefined stays; null clears. */
export async function updateProjectRow(
  db: Db,
  project: { organizationId: string; id: string },
  change: {
    name?: string | undefined;
    description?: string | null | undefined;
    icon?: string | null | undefined;
    visibility?: string | undefined;
  },
): Promise<void> {
  const { name, description, icon, visibility } = change;
  const mentioned = [description !== undefined, icon !== undefined];
  const values = [name, description, icon, visibility, ...mentioned];
  await db.run(update, [project.organizationId, project.id, ...values]);
}

/** From the end of the transaction on it is gone for everybody. False when it was gone already. */
export async function markProjectDeleted(
  db: Db,
  project: { organizationId: string; id: string },
): Promise<boolean> {
  if (!(await db.row(lockForDeletion, [project.organizationId, project.id]))) return false;
  await db.run(markDeleted, [project.id]);
  return true;
}

/** The organization's Default project, if the viewer may see it. */
export function visibleDefaultProject(db: Db, by: Viewer): Promise<ProjectRow | undefined> {
  return db.row(findDefault, viewer(by));
}
