import { bigint, flag, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import type { Db } from '../database.ts';
import { query } from '../query.ts';
import { mayView, type OrganizationRole } from './visibility.ts';

const projects = table('projects', {
  id: text,
  organizationId: text,
  name: text,
  description: orNull(text),
  icon: orNull(text),
  visibility: oneOf<'public' | 'private'>(),
  isDefault: flag,
  createdAt: time,
  updatedAt: time,
});
/** Includes the viewer's role. */
export const projectColumns = { ...projects.columns, role: oneOf<'admin' | 'member'>() };
export type ProjectRow = RowOf<typeof projectColumns>;

export const viewer = { organizationId: text, userId: text, role: oneOf<OrganizationRole>() };
export type Viewer = RowOf<typeof viewer>;

/** The columns of a project `p` for a viewer with these roles in the organization and the project. */
export const projectList = (role: string, invited: string): string =>
  `${projects.all('p')}, case when ${role} <> 'member' then 'admin' else coalesce(${invited}, 'member') end as "role"`;

// Excludes deleted projects, whose content is removed later.
const ofOrganization = `
  from projects p left join project_members m on m.project_id = p.id and m.user_id = :userId
  where p.organization_id = :organizationId and p.deleted_at is null`;
const visible = mayView(':role', 'm.role');
const columns = projectList(':role', 'm.role');

/** A project of the viewer's organization, and whether the viewer may see it. */
export const find = query(
  'projects.find',
  `select ${columns}, ${visible} as visible ${ofOrganization} and p.id = :id`,
  { ...viewer, id: text },
  { ...projectColumns, visible: flag },
);
/** The organization's Default project, if the viewer may see it. */
export const findDefault = query(
  'projects.find-default',
  `select ${columns} ${ofOrganization} and ${visible} and p.is_default`,
  viewer,
  projectColumns,
);
export const list = query(
  'projects.list',
  `select ${columns} ${ofOrganization} and ${visible} and p.id > :after order by p.id limit :most`,
  { ...viewer, after: text, most: bigint },
  projectColumns,
  { index: 'projects_organization' },
);

/** Prevents deletion of the project until the transaction ends. Several transactions can do so at once. */
export const hold = query(
  'projects.hold',
  'select id from projects where id = :id and deleted_at is null for key share',
  { id: text },
  { id: text },
);
/** Serializes changes within a project until the transaction ends. Does not conflict with `hold`. */
export const lockForUpdate = query(
  'projects.lock-for-update',
  'select id from projects where id = :id for no key update',
  { id: text },
  { id: text },
);

const written = ['id', 'organizationId', 'name', 'description', 'icon', 'visibility', 'isDefault'] as const;
export const insert = query('projects.insert', projects.insert(written), projects.pick(written));
/** A null name or visibility keeps the current one. The other columns change only if their flag is true. */
export const update = query(
  'projects.update',
  `update projects set name = coalesce(:name, name), visibility = coalesce(:visibility, visibility),
     description = case when :setsDescription then :description else description end,
     icon = case when :setsIcon then :icon else icon end, updated_at = now()
   where organization_id = :organizationId and id = :id and deleted_at is null`,
  {
    ...projects.pick(['organizationId', 'id', 'description', 'icon']),
    name: orNull(text),
    visibility: orNull(text),
    setsDescription: flag,
    setsIcon: flag,
  },
);

const own = projects.pick(['organizationId', 'id']);
// Conflicts with `hold`, so that no transaction writes to a deleted project.
const lockForDeletion = query(
  'projects.lock-for-deletion',
  `select id from projects where organization_id = :organizationId and id = :id and deleted_at is null for update`,
  own,
  { id: text },
);
const mark = query('projects.mark-deleted', 'update projects set deleted_at = now() where id = :id', {
  id: text,
});

/** Hides the project from everybody as soon as the transaction commits. Returns false if it was deleted already. */
export async function markDeleted(db: Db, project: RowOf<typeof own>): Promise<boolean> {
  if (!(await db.row(lockForDeletion, project))) return false;
  await db.run(mark, project);
  return true;
}

// For the operator, who has access to all organizations.
const place = { ...projects.pick(['id', 'organizationId', 'name']), organizationName: text };
export type ProjectPlace = RowOf<typeof place>;
const places = `select p.id, p.organization_id as "organizationId", o.name as "organizationName", p.name
   from projects p join organizations o on o.id = p.organization_id`;
export const named = query(
  'projects.named',
  `${places} where (p.id = :idOrName or p.name = :idOrName) and p.deleted_at is null order by p.id limit 20`,
  { idOrName: text },
  place,
);
export const defaults = query(
  'projects.defaults',
  `${places} where p.is_default order by p.id limit 20`,
  {},
  place,
);
/** A sample of projects, of any organization. */
export const some = query('projects.some', `${places} order by p.id limit 20`, {}, place);
