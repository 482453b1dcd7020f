import { type Db, statement } from '../database.ts';

export interface ServerGroupRow {
  id: string;
  projectId: string;
  name: string;
  description: string | null;
  serverIds: string[];
  createdAt: number;
}

const columns = `id, project_id as "projectId", name, description, server_ids as "serverIds",
  created_at as "createdAt"`;

// Served by server_groups_project.
const list = statement<ServerGroupRow>(
  'server-groups.list',
  `select ${columns} from server_groups where project_id = $1 and id > $2 order by id limit $3`,
);
const find = statement<ServerGroupRow>(
  'server-groups.find',
  `select ${columns} from server_groups where project_id = $1 and id = $2`,
);
const count = statement<{ count: number }>(
  'server-groups.count',
  'select count(*)::int as count from server_groups where project_id = $1',
);
const insert = statement<ServerGroupRow>(
  'server-groups.insert',
  `insert into server_groups (id, project_id, name, description, server_ids) values ($1, $2, $3, $4, $5)
   returning ${columns}`,
);
// Served by servers_project.
const servers = statement<GroupableServer>(
  'server-groups.servers',
  `select id, name, plugin_version_id is not null as managed from servers where project_id = $1 and id = any($2)`,
);

export function listServerGroupRows(
  db: Db,
  projectId: string,
  after: string,
  most: number,
): Promise<ServerGroupRow[]> {
  return db.rows(list, [projectId, after, most]);
}

export function findServerGroup(db: Db, projectId: string, id: string): Promise<ServerGroupRow | undefined> {
  return db.row(find, [projectId, id]);
}

export async function countServerGroups(db: Db, projectId: string): Promise<number> {
  return (await db.row(count, [projectId]))?.count ?? 0;
}

export async function insertServerGroup(
  db: Db,
  group: Omit<ServerGroupRow, 'createdAt'>,
): Promise<ServerGroupRow> {
  const { id, projectId, name, description, serverIds } = group;
  return (await db.row(insert, [id, projectId, name, description, serverIds])) as ServerGroupRow;
}

export interface GroupableServer {
  id: string;
  name: string;
  /** By the plugin that brought it. */
  managed: boolean;
}

/** Those of the project's servers among these that are there. */
export function serversAmong(db: Db, projectId: string, ids: readonly string[]): Promise<GroupableServer[]> {
  return db.rows(servers, [projectId, ids]);
}
