import { integer, text } from '../columns.ts';
import { type Db, statement } from '../database.ts';
import { nameKey } from '../name-key.ts';
import { query } from '../query.ts';

/** A client with its current configuration. */
export interface ClientRow {
  id: string;
  projectId: string;
  name: string;
  configId: string;
  config: Record<string, unknown>;
  versionNumber: number;
  privateBacking: boolean;
  createdAt: number;
  updatedAt: number;
}

const columnsWith = (
  config: string,
): string => `c.id, c.project_id as "projectId", c.name, c.config_id as "configId", ${config} as config,
  c.version_number as "versionNumber", c.private_backing as "privateBacking", c.created_at as "createdAt",
  c.updated_at as "updatedAt"`;
const columns = columnsWith('f.config');
const shown = `jsonb_strip_nulls(jsonb_build_object('modelId', f.config -> 'modelId', 'serverIds', f.config -> 'serverIds',
  'optionalServerIds', f.config -> 'optionalServerIds', 'computer', f.config -> 'computer'))`;
const tables = 'clients c join client_configs f on f.project_id = c.project_id and f.id = c.config_id';

// Of the configurations, which may be large, only what a list shows. Served by clients_project.
const list = statement<ClientRow>(
  'clients.list',
  `select ${columnsWith(shown)} from ${tables} 
   where c.project_id = $1 and ($2 or not c.private_backing) and c.id > $3 order by c.id limit $4`,
);
const find = statement<ClientRow>(
  'clients.find',
  `select ${columns} from ${tables} where c.project_id = $1 and c.id = $2`,
);
// Served by clients_name.
const named = statement<{ id: string }>(
  'clients.named',
  `select c.id from clients c
   where c.project_id = $1 and c.name_key = $2 and ($3 or not c.private_backing) order by c.id limit 20`,
);
// Those who use the client hold it; whoever changes it waits for them, and they for him.
const lock = statement<{ id: string }>(
  'clients.lock',
  'select id from clients where project_id = $1 and id = $2 for update',
);
const hold = statement<{ id: string }>(
  'clients.hold',
  'select id from clients where project_id = $1 and id = $2 for key share',
);
const keepConfig = statement(
  'clients.keep-config',
  // Written again, it is young again, and not swept away under whoever is about to use it.
  `insert into client_configs (project_id, id, config) values ($1, $2, $3)
   on conflict (project_id, id) do update set created_at = now()`,
);
const insert = statement(
  'clients.insert',
  'insert into clients (id, project_id, name, config_id, name_key) values ($1, $2, $3, $4, $5)',
);
const update = statement(
  'clients.update',
  `update clients set name = $3, config_id = $4, name_key = $5, version_number = version_number + 1, updated_at = now()
   where project_id = $1 and id = $2`,
);
const remove = statement('clients.delete', 'delete from clients where project_id = $1 and id = $2');
export const countClients = query(
  'clients.count',
  'select count(*)::int as count from clients where project_id = :projectId',
  { projectId: text },
  { count: integer },
);
const pruneConfigs = statement(
  'clients.prune-configs',
  `delete from client_configs f where created_at < now() - interval '1 hour'
     and not exists (select from clients c where c.project_id = f.project_id and c.config_id = f.id)`,
);
// Served by environments_host.
const users = statement<{ id: string; name: string }>(
  'clients.environments',
  `select id, name from environments
   where host_id = $2 and project_id = $1 and archived_at is null and name is not null order by id`,
);

export function listClientRows(
  db: Db,
  projectId: string,
  withPrivate: boolean,
  after: string,
  most: number,
): Promise<ClientRow[]> {
  return db.rows(list, [projectId, withPrivate, after, most]);
}

export function findClient(db: Db, projectId: string, id: string): Promise<ClientRow | undefined> {
  return db.row(find, [projectId, id]);
}

/** Whatever the case of the name. */
export function clientsNamed(
  db: Db,
  projectId: string,
  name: string,
  withPrivate: boolean,
): Promise<{ id: string }[]> {
  return db.rows(named, [projectId, nameKey(name), withPrivate]);
}

/** Nobody else edits, deletes or starts to use the client until the transaction ends. */
export async function lockClient(db: Db, projectId: string, id: string): Promise<ClientRow | undefined> {
  return (await db.row(lock, [projectId, id])) && findClient(db, projectId, id);
}

/** It stays as it is until the transaction ends. */
export async function holdClient(db: Db, projectId: string, id: string): Promise<boolean> {
  return (await db.row(hold, [projectId, id])) !== undefined;
}

export interface ClientFields {
  id: string;
  projectId: string;
  name: string;
  configId: string;
  config: object;
}

export async function insertClient(db: Db, fields: ClientFields): Promise<void> {
  const { id, projectId, name, configId, config } = fields;
  await db.run(keepConfig, [projectId, configId, JSON.stringify(config)]);
  await db.run(insert, [id, projectId, name, configId, nameKey(name)]);
}

export async function updateClientRow(db: Db, fields: ClientFields): Promise<void> {
  const { id, projectId, name, configId, config } = fields;
  await db.run(keepConfig, [projectId, configId, JSON.stringify(config)]);
  await db.run(update, [projectId, id, name, configId, nameKey(name)]);
}

export async function deleteClientRow(db: Db, projectId: string, id: string): Promise<void> {
  await db.run(remove, [projectId, id]);
}

/** The live, named environments that use a client. */
export function environmentsUsing(
  db: Db,
  projectId: string,
  clientId: string,
): Promise<{ id: string; name: string }[]> {
  return db.rows(users, [projectId, clientId]);
}

/** Configurations that no client has any more. */
export async function pruneClientConfigs(db: Db): Promise<void> {
  await db.run(pruneConfigs);
}
