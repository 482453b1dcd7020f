import { type Db, selectList, statement } from '../database.ts';
import { nameKey } from '../name-key.ts';

/** What is kept of a server besides its columns; nothing here is secret. */
export interface ServerSettings {
  command?: string;
  args?: string[];
  /** Milliseconds a request may take. */
  timeout?: number;
  clientCapabilities?: Record<string, unknown>;
  useOAuth?: boolean;
  useXaa?: boolean;
  xaaAuthzIssuer?: string;
  authMethod?: string;
  hasBearerToken?: boolean;
  oauthScopes?: string[];
  clientId?: string;
  oauthResourceUrl?: string;
  /** Names of what is sealed, so that answers can show that a value exists. */
  headerNames: string[];
  envNames: string[];
  hasClientSecret: boolean;
  /** Every other declared field, as it was sent. */
  [field: string]: unknown;
}

export interface ServerRow {
  id: string;
  projectId: string;
  name: string;
  enabled: boolean;
  transportType: 'http' | 'stdio';
  url: string | null;
  settings: ServerSettings;
  sealedId: string | null;
  /** Set when a plugin brought the server, and manages it. */
  pluginVersionId: string | null;
  createdAt: number;
  updatedAt: number;
}

const columns = `id, project_id as "projectId", name, enabled, transport_type as "transportType", url, settings,
  sealed_id as "sealedId", plugin_version_id as "pluginVersionId", created_at as "createdAt", updated_at as "updatedAt"`;

// Served by servers_project.
const list = statement<ServerRow>(
  'servers.list',
  `select ${columns} from servers where project_id = $1 and id > $2 order by id limit $3`,
);
const find = statement<ServerRow>(
  'servers.find',
  `select ${columns} from servers where project_id = $1 and id = $2`,
);
const lock = statement<ServerRow>(
  'servers.lock',
  `select ${columns} from servers where project_id = $1 and id = $2 for update`,
);
const insert = statement<ServerRow>(
  'servers.insert',
  `insert into servers (id, project_id, name, enabled, transport_type, url, settings, sealed_id, name_key)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`,
);
const update = statement<ServerRow>(
  'servers.update',
  // A name that stays keeps its key: where names were told apart by case before, it is not the name's own.
  `update servers set name = $3, name_key = case when name = $3 then name_key else $9 end, enabled = $4, transport_type = $5, url = $6, settings = $7, sealed_id = $8,
     revision = revision + 1, updated_at = now()
   where project_id = $2 and id = $1 returning ${columns}`,
);
const remove = statement('servers.delete', 'delete from servers where project_id = $1 and id = $2');

export function listServerRows(db: Db, projectId: string, after: string, most: number): Promise<ServerRow[]> {
  return db.rows(list, [projectId, after, most]);
}

export function findServer(db: Db, projectId: string, id: string): Promise<ServerRow | undefined> {
  return db.row(find, [projectId, id]);
}

/** Holds the row until the transaction ends, so that two edits follow each other. */
export function lockServer(db: Db, projectId: string, id: string): Promise<ServerRow | undefined> {
  return db.row(lock, [projectId, id]);
}

const insertIfFree = statement<ServerRow>(
  'servers.insert-if-free',
  `insert into servers (id, project_id, name, enabled, transport_type, url, settings, sealed_id, name_key,
     plugin_version_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict on constraint servers_name do nothing returning ${columns}`,
);
// Served by servers_project; a project has few servers with one URL.
const at = statement<ServerRow>(
  'servers.at',
  `select ${columns} from servers where project_id = $1 and url = $2 order by id limit 20`,
);
const removeUntouched = statement<{ sealedId: string | null }>(
  'servers.delete-untouched',
  `delete from servers s where project_id = $1 and id = $2 and revision = 1
     and not exists (select from oauth_grants g where g.server_id = s.id)
   returning sealed_id as "sealedId"`,
);

const holdAll = statement<{ id: string }>(
  'servers.hold-all',
  'select id from servers where project_id = $1 and id = any($2) for key share',
);

/** Those of the servers that exist; they stay until the transaction ends. */
export async function holdServers(db: Db, projectId: string, ids: string[]): Promise<string[]> {
  return (await db.rows(holdAll, [projectId, ids])).map(({ id }) => id);
}

const enabled = statement<{ id: string; name: string }>(
  'servers.enabled',
  'select id, name from servers where project_id = $1 and id = any($2) and enabled order by array_position($2, id)',
);

/** Those of the servers that runs may use, in the order asked. */
export function enabledServers(
  db: Db,
  projectId: string,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  return db.rows(enabled, [projectId, ids]);
}

/** The new row; undefined when the name is taken, whatever its case. */
export function insertServerIfFree(
  db: Db,
  server: ServerFields & { pluginVersionId?: string },
): Promise<ServerRow | undefined> {
  return db.row(insertIfFree, [...values(server), server.pluginVersionId ?? null]);
}

/** The servers of a project with this URL. */
export function serversAt(db: Db, projectId: string, url: string): Promise<ServerRow[]> {
  return db.rows(at, [projectId, url]);
}

/** Deletes a server that was never edited and has no tokens. */
export function deleteUntouchedServer(
  db: Db,
  projectId: string,
  id: string,
): Promise<{ sealedId: string | null } | undefined> {
  return db.row(removeUntouched, [projectId, id]);
}

/** A server with what a call to it depends on. */
export interface LiveServerRow extends ServerRow {
  /** Counts the edits. */
  revision: number;
  grantId: string | null;
  /** The URL the grant's tokens are for. */
  grantUrl: string | null;
  grantDead: boolean;
  grantExpiresAt: number | null;
  /** The last call with what is stored ended with the server asking for OAuth. */
  oauthDemanded: boolean;
  sealedKeyId: string | null;
  ciphertext: Buffer | null;
}

export const liveServerColumns: Record<keyof LiveServerRow, string> = {
  id: 's.id',
  projectId: 's.project_id',
  name: 's.name',
  enabled: 's.enabled',
  transportType: 's.transport_type',
  url: 's.url',
  settings: 's.settings',
  sealedId: 's.sealed_id',
  pluginVersionId: 's.plugin_version_id',
  createdAt: 's.created_at',
  updatedAt: 's.updated_at',
  revision: 's.revision',
  grantId: 'g.id',
  grantUrl: 'g.server_url',
  grantDead: 'g.dead_reason is not null',
  grantExpiresAt: 'g.expires_at',
  oauthDemanded: 's.oauth_demanded',
  sealedKeyId: 'v.key_id',
  ciphertext: 'v.ciphertext',
};
export const liveServerTables = `servers s left join oauth_grants g on g.server_id = s.id
     left join sealed_values v on v.id = s.sealed_id`;

const live = statement<LiveServerRow>(
  'servers.live',
  `select ${selectList(liveServerColumns)} from ${liveServerTables}
     join projects p on p.id = s.project_id and p.deleted_at is null
   where s.project_id = $1 and s.id = $2`,
);

export function findLiveServer(db: Db, projectId: string, id: string): Promise<LiveServerRow | undefined> {
  return db.row(live, [projectId, id]);
}

export type ServerFields = Omit<ServerRow, 'createdAt' | 'updatedAt' | 'pluginVersionId'>;

export async function insertServer(db: Db, server: ServerFields): Promise<ServerRow> {
  return (await db.row(insert, values(server))) as ServerRow;
}

export async function updateServer(db: Db, server: ServerFields): Promise<ServerRow> {
  return (await db.row(update, values(server))) as ServerRow;
}

function values(server: ServerFields): unknown[] {
  const { id, projectId, name, enabled, transportType, url, settings, sealedId } = server;
  const kept = JSON.stringify(settings);
  return [id, projectId, name, enabled, transportType, url, kept, sealedId, nameKey(name)];
}

export async function deleteServer(db: Db, projectId: string, id: string): Promise<void> {
  await db.run(remove, [projectId, id]);
}
