import { bigint, flag, integer, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';

const groups = table('server_groups', {
  id: text,
  projectId: text,
  name: text,
  description: orNull(text),
  serverIds: texts,
  createdAt: time,
});
export type ServerGroupRow = RowOf<typeof groups.columns>;

export const list = query(
  'server-groups.list',
  `select ${groups.all()} from server_groups
   where project_id = :projectId and id > :after order by id limit :most`,
  { projectId: text, after: text, most: bigint },
  groups.columns,
  { index: 'server_groups_project' },
);
export const find = query(
  'server-groups.find',
  `select ${groups.all()} from server_groups where project_id = :projectId and id = :id`,
  { projectId: text, id: text },
  groups.columns,
);
export const count = query(
  'server-groups.count',
  'select count(*)::int as count from server_groups where project_id = :projectId',
  { projectId: text },
  { count: integer },
);

const written = ['id', 'projectId', 'name', 'description', 'serverIds'] as const;
export const insert = query(
  'server-groups.insert',
  `${groups.insert(written)} returning ${groups.all()}`,
  groups.pick(written),
  groups.columns,
);

/** Existing servers of the project among these IDs, and whether a plugin manages them. */
export const servers = query(
  'server-groups.servers',
  `select id, name, plugin_version_id is not null as managed from servers
   where project_id = :projectId and id = any(:ids)`,
  { projectId: text, ids: texts },
  { id: text, name: text, managed: flag },
);
export type GroupableServer = RowOf<typeof servers.gives>;
