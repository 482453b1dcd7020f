import { type Db, statement } from '../database.ts';

type ConnectionStatus =
  | 'discovering'
  | 'awaiting_project'
  | 'awaiting_authorization'
  | 'authorizing'
  | 'validating'
  | 'ready'
  | 'failed'
  | 'expired'
  | 'cancelled';

interface ConnectionError {
  code: string;
  message: string;
  retryable: boolean;
}

export interface ConnectionRow {
  id: string;
  organizationId: string;
  userId: string;
  url: string;
  request: {
    name?: string;
    reauthorize?: boolean /** The server was saved for this request. */;
    created?: boolean;
  };
  status: ConnectionStatus;
  /** Null when the project was deleted. */
  projectId: string | null;
  serverId: string | null;
  error: ConnectionError | null;
  /** Counts the changes, so that work on an older state cannot overwrite a newer one. */
  version: number;
  expiresAt: number;
}

const columns = `id, organization_id as "organizationId", user_id as "userId", url, request, status,
  (select p.id from projects p where p.id = server_connections.project_id and p.deleted_at is null) as "projectId",
  server_id as "serverId", error, version, expires_at as "expiresAt"`;

const open = `status in ('discovering', 'awaiting_project', 'awaiting_authorization', 'authorizing', 'validating')`;

// Callers of one account stand in line here, so that the count they see is true when they insert.
const line = statement<object>('connections.line', 'select 1 from users where id = $1 for no key update');
// Served by server_connections_user.
const count = statement<{ open: number }>(
  'connections.count',
  `select count(*)::int as open from server_connections
   where organization_id = $1 and user_id = $2 and ${open} and expires_at > now()`,
);
const insert = statement<ConnectionRow>(
  'connections.insert',
  `insert into server_connections (id, organization_id, user_id, url, request, status, project_id, server_id, expires_at)
   values ($1, $2, $3, $4, $5, 'discovering', $6, $7, now() + interval '1 hour') returning ${columns}`,
);
const find = statement<ConnectionRow>(
  'connections.find',
  `select ${columns} from server_connections where organization_id = $1 and user_id = $2 and id = $3`,
);
const findForWork = statement<ConnectionRow>(
  'connections.find-for-work',
  `select ${columns} from server_connections where id = $1 and expires_at > now()`,
);
// Whoever follows the request is told when the transaction commits.
const change = statement<ConnectionRow>(
  'connections.change',
  `with changed as (
     update server_connections set status = $3, server_id = $4, error = $5, request = $6, version = version + 1,
       updated_at = now()
     where id = $1 and version = $2 returning ${columns})
   select changed.* from changed
   cross join lateral (select pg_notify('drydock_connections', changed."id")) told`,
);
// Served by server_connections_server.
const waiting = statement<ConnectionRow>(
  'connections.waiting',
  `select ${columns} from server_connections
   where server_id = $1 and status = 'awaiting_authorization' and expires_at > now() for update`,
);
const overdue = statement<ConnectionRow>(
  'connections.overdue',
  `select ${columns} from server_connections where ${open} and expires_at <= now() limit 100 for update skip locked`,
);
const prune = statement(
  'connections.prune',
  `delete from server_connections where not (${open}) and expires_at < now() - interval '7 days'`,
);

export async function countOpenConnections(db: Db, organizationId: string, userId: string): Promise<number> {
  await db.row(line, [userId]);
  return (await db.row(count, [organizationId, userId]))?.open ?? 0;
}

export type ConnectionFields = Pick<
  ConnectionRow,
  'id' | 'organizationId' | 'userId' | 'url' | 'request' | 'projectId' | 'serverId'
>;

export async function insertConnection(db: Db, fields: ConnectionFields): Promise<ConnectionRow> {
  const { id, organizationId, userId, url, request, projectId, serverId } = fields;
  const values = [id, organizationId, userId, url, JSON.stringify(request), projectId, serverId];
  return (await db.row(insert, values)) as ConnectionRow;
}

export function findConnection(
  db: Db,
  organizationId: string,
  userId: string,
  id: string,
): Promise<ConnectionRow | undefined> {
  return db.row(find, [organizationId, userId, id]);
}

/** Whoever asks; nothing when it has expired. */
export function findConnectionForWork(db: Db, id: string): Promise<ConnectionRow | undefined> {
  return db.row(findForWork, [id]);
}

export type ConnectionChange = Partial<Pick<ConnectionRow, 'status' | 'serverId' | 'error' | 'request'>>;

/** The row after the change; undefined when somebody else changed it first. */
export function changeConnection(
  db: Db,
  row: ConnectionRow,
  changes: ConnectionChange,
): Promise<ConnectionRow | undefined> {
  const { status, serverId, error, request } = { ...row, error: null, ...changes };
  const failed = error === null ? null : JSON.stringify(error);
  return db.row(change, [row.id, row.version, status, serverId, failed, JSON.stringify(request)]);
}

/** Requests that wait for tokens of this server. */
export function connectionsAwaitingTokens(db: Db, serverId: string): Promise<ConnectionRow[]> {
  return db.rows(waiting, [serverId]);
}

export function overdueConnections(db: Db): Promise<ConnectionRow[]> {
  return db.rows(overdue);
}

export async function pruneConnections(db: Db): Promise<void> {
  await db.run(prune);
}
