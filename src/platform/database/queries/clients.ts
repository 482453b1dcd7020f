import { bigint, flag, integer, json, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const clients = table(
  'clients',
  {
    id: text,
    projectId: text,
    name: text,
    configId: text,
    versionNumber: integer,
    privateBacking: flag,
    createdAt: time,
    updatedAt: time,
  },
  { nameKey: text },
);
const configs = table('client_configs', {
  projectId: text,
  id: text,
  config: json<Record<string, unknown>>(),
});

/** A client with its current configuration. */
const row = { ...clients.columns, config: configs.columns.config };
export type ClientRow = RowOf<typeof row>;
const tables = 'clients c join client_configs f on f.project_id = c.project_id and f.id = c.config_id';
const which = clients.pick(['projectId', 'id']);

/** Returns only the settings that a list shows, because configurations may be large. */
export const list = query(
  'clients.list',
  `select ${clients.all('c')},
     jsonb_strip_nulls(jsonb_build_object('modelId', f.config -> 'modelId', 'serverIds', f.config -> 'serverIds',
       'optionalServerIds', f.config -> 'optionalServerIds', 'computer', f.config -> 'computer')) as config
   from ${tables}
   where c.project_id = :projectId and (:withPrivate or not c.private_backing) and c.id > :after
   order by c.id limit :most`,
  { projectId: text, withPrivate: flag, after: text, most: bigint },
  row,
  { index: 'clients_project' },
);
export const find = query(
  'clients.find',
  `select ${clients.all('c')}, f.config from ${tables} where c.project_id = :projectId and c.id = :id`,
  which,
  row,
);
/** The name is case-insensitive. Served by clients_name. */
export const named = query(
  'clients.named',
  `select c.id from clients c
   where c.project_id = :projectId and c.name_key = :nameKey and (:withPrivate or not c.private_backing)
   order by c.id limit 20`,
  { projectId: text, nameKey: text, withPrivate: flag },
  { id: text },
);
/**
 * Locks a client: users of it share the lock, and a change waits for them. Read its configuration in a later statement,
 * because a join would return the one from before the wait.
 */
export const lock = query(
  'clients.lock',
  'select id from clients where project_id = :projectId and id = :id for update',
  which,
  { id: text },
);
export const hold = query(
  'clients.hold',
  'select id from clients where project_id = :projectId and id = :id for key share',
  which,
  { id: text },
);
export const count = query(
  'clients.count',
  'select count(*)::int as count from clients where project_id = :projectId',
  { projectId: text },
  { count: integer },
);
/** Stores a configuration. Storing it again renews its creation time, so that it is not pruned before it is used. */
export const keepConfig = query(
  'clients.keep-config',
  `${configs.insert(['projectId', 'id', 'config'])} on conflict on constraint client_configs_pkey do update set created_at = now()`,
  configs.columns,
);
const edited = ['name', 'configId', 'nameKey'] as const;
export const insert = query(
  'clients.insert',
  clients.insert(['id', 'projectId', ...edited]),
  clients.pick(['id', 'projectId', ...edited]),
);
export const update = query(
  'clients.update',
  `update clients set ${clients.set(edited)}, version_number = version_number + 1, updated_at = now()
   where project_id = :projectId and id = :id`,
  clients.pick(['id', 'projectId', ...edited]),
);
export const remove = query(
  'clients.delete',
  'delete from clients where project_id = :projectId and id = :id',
  which,
);
/** Deletes configurations that no client uses. */
export const pruneConfigs = query(
  'clients.prune-configs',
  `delete from client_configs f where created_at < now() - interval '1 hour'
     and not exists (select from clients c where c.project_id = f.project_id and c.config_id = f.id)`,
  {},
);
/** The live, named environments that use a client. Served by environments_host. */
export const environments = query(
  'clients.environments',
  `select id, name from environments
   where host_id = :id and project_id = :projectId and archived_at is null and name is not null order by id`,
  which,
  { id: text, name: orNull(text) },
);
