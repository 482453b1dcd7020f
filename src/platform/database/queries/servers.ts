import { type Db, statement } from '../database.ts';

/** What is kept of a server besides its columns; nothing here is secret. */
export interface ServerSettings {
  command?: string;
  args?: string[];
  useOAuth?: boolean;
  oauthScopes?: string[];
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
  createdAt: number;
  updatedAt: number;
}

const columns = `id, project_id as "projectId", name, enabled, transport_type as "transportType", url, settings,
  sealed_id as "sealedId", created_at as "createdAt", updated_at as "updatedAt"`;

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
  `insert into servers (id, project_id, name, enabled, transport_type, url, settings, sealed_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
);
const update = statement<ServerRow>(
  'servers.update',
  `update servers set name = $3, enabled = $4, transport_type = $5, url = $6, settings = $7, sealed_id = $8,
     revision = revision + 1, updated_at = now()
   where project_id = $2 and id = $1 returning ${columns}`,
);
const remove = statement<{ sealedId: string | null }>(
  'servers.delete',
  'delete from servers where project_id = $1 and id = $2 returning sealed_id as "sealedId"',
);

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

export type ServerFields = Omit<ServerRow, 'createdAt' | 'updatedAt'>;

export async function insertServer(db: Db, server: ServerFields): Promise<ServerRow> {
  return (await db.row(insert, values(server))) as ServerRow;
}

export async function updateServer(db: Db, server: ServerFields): Promise<ServerRow> {
  return (await db.row(update, values(server))) as ServerRow;
}

function values(server: ServerFields): unknown[] {
  const { id, projectId, name, enabled, transportType, url, settings, sealedId } = server;
  return [id, projectId, name, enabled, transportType, url, JSON.stringify(settings), sealedId];
}

/** The row that went, or undefined when there was none. */
export function deleteServer(
  db: Db,
  projectId: string,
  id: string,
): Promise<{ sealedId: string | null } | undefined> {
  return db.row(remove, [projectId, id]);
}
