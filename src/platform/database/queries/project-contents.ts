import { type Db, type Statement, statement } from '../database.ts';

/** Tables with rows of a project, children before what they refer to, and how a row `t` is known to be of it. */
export const projectContents = [
  { table: 'skill_files', from: 'skill_files t join skills s on s.id = t.skill_id where s.project_id = $1' },
  { table: 'skills' },
  { table: 'oauth_grants' },
  { table: 'server_connections', instead: 'set project_id = null, server_id = null' },
  { table: 'servers' },
  { table: 'secrets' },
  { table: 'plugin_versions' },
  { table: 'plugins' },
  { table: 'clients' },
  { table: 'client_configs' },
  { table: 'server_groups' },
  { table: 'environments' },
  { table: 'blobs' },
  { table: 'sealed_values' },
  { table: 'project_members' },
] as const satisfies readonly Content[];

interface Content {
  table: string;
  from?: string;
  /** What is done with rows that stay. */
  instead?: string;
}

// Served by the index that each table has on its project. $2 bounds how many rows go at once.
const steps: readonly Statement<never>[] = projectContents.map((content: Content) => {
  const { table, from = `${table} t where t.project_id = $1`, instead } = content;
  return statement(
    `project-contents.${table}`,
    `${instead === undefined ? `delete from ${table}` : `update ${table} ${instead}`}
     where ctid = any(array(select t.ctid from ${from} limit $2))`,
  );
});
const removeRow = statement(
  'project-contents.row',
  'delete from projects where id = $1 and deleted_at is not null',
);
// Served by projects_deleted.
const deleted = statement<{ id: string }>(
  'project-contents.deleted',
  `select id from projects where deleted_at is not null and ($1::text is null or id = $1) order by id limit 1000`,
);

/** How many steps empty a project; step by step, each until it finds nothing. */
export const contentSteps = steps.length;

/** How many rows of the step were removed, at most `most`. */
export function removeContent(db: Db, step: number, projectId: string, most: number): Promise<number> {
  return db.run(steps[step] as Statement<never>, [projectId, most]);
}

/** The row itself, with whatever came in meanwhile. */
export async function removeDeletedProject(db: Db, projectId: string): Promise<void> {
  await db.run(removeRow, [projectId]);
}

/** Whether the project was deleted and its content is not all gone yet. */
export async function leavesContent(db: Db, projectId: string): Promise<boolean> {
  return (await db.row(deleted, [projectId])) !== undefined;
}

/** All such projects. */
export async function deletedProjects(db: Db): Promise<string[]> {
  return (await db.rows(deleted, [null])).map(({ id }) => id);
}
