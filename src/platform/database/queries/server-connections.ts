import { flag, integer, json, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import type { Db } from '../database.ts';
import { query } from '../query.ts';
import { mayView } from './visibility.ts';

type Status =
  | 'discovering'
  | 'awaiting_project'
  | 'awaiting_authorization'
  | 'authorizing'
  | 'validating'
  | 'ready'
  | 'failed'
  | 'expired'
  | 'cancelled';

/** `created`: the server was saved for this request. */
type Request = { name?: string; reauthorize?: boolean; created?: boolean };

const connections = table(
  'server_connections',
  {
    id: text,
    organizationId: text,
    userId: text,
    url: text,
    request: json<Request>(),
    status: oneOf<Status>(),
    serverId: orNull(text),
    error: orNull(json<{ code: string; message: string; retryable: boolean }>()),
    /** Counts the changes, so that work on an older state cannot overwrite a newer one. */
    version: integer,
    expiresAt: time,
  },
  { projectId: orNull(text) },
);
/** The project is null when it was deleted. */
const row = { ...connections.columns, projectId: orNull(text) };
export type ConnectionRow = RowOf<typeof row>;

const columns = `${connections.all()},
  (select p.id from projects p where p.id = server_connections.project_id and p.deleted_at is null) as "projectId"`;
const open = `status in ('discovering', 'awaiting_project', 'awaiting_authorization', 'authorizing', 'validating')`;
const account = { organizationId: text, userId: text };

/** Serializes requests of one account, so that the count stays valid until the insert. */
export const lockUser = query(
  'connections.lock-user',
  'select from users where id = :userId for no key update',
  { userId: text },
  {},
);
/** Open requests; one whose project was deleted has ended. Served by server_connections_user. */
export const count = query(
  'connections.count',
  `select count(*)::int as count from server_connections c
   where organization_id = :organizationId and user_id = :userId and ${open} and expires_at > now()
     and exists (select from projects p where p.id = c.project_id and p.deleted_at is null)`,
  account,
  { count: integer },
);
export const insert = query(
  'connections.insert',
  `insert into server_connections (id, organization_id, user_id, url, request, status, project_id, server_id, expires_at)
   values (:id, :organizationId, :userId, :url, :request, 'discovering', :projectId, :serverId, now() + interval '1 hour')
   returning ${columns}`,
  connections.pick(['id', 'organizationId', 'userId', 'url', 'request', 'projectId', 'serverId']),
  row,
);
/** Excludes requests in a project to which the requester has lost access. */
export const find = query(
  'connections.find',
  `select ${columns} from server_connections
   where organization_id = :organizationId and user_id = :userId and id = :id
     and not exists (
       select from projects p left join project_members i on i.project_id = p.id and i.user_id = :userId
       where p.id = server_connections.project_id and p.deleted_at is null and not ${mayView(':role', 'i.role')})`,
  { ...account, role: text, id: text },
  row,
);
/** Any request that has not expired. */
export const findForWork = query(
  'connections.find-for-work',
  `select ${columns} from server_connections where id = :id and expires_at > now()`,
  { id: text },
  row,
);
/** Requests that wait for tokens of this server. Served by server_connections_server. */
export const waiting = query(
  'connections.waiting',
  `select ${columns} from server_connections
   where server_id = :serverId and status = 'awaiting_authorization' and expires_at > now() for update`,
  { serverId: text },
  row,
);
export const overdue = query(
  'connections.overdue',
  `select ${columns} from server_connections where ${open} and expires_at <= now() limit 100 for update skip locked`,
  {},
  row,
);
export const anyOverdue = query(
  'connections.any-overdue',
  `select exists (select from server_connections where ${open} and expires_at <= now()) as there`,
  {},
  { there: flag },
);
export const prune = query(
  'connections.prune',
  `delete from server_connections where not (${open}) and expires_at < now() - interval '7 days'`,
  {},
);

const changed = ['status', 'serverId', 'error', 'request'] as const;
// Notifies watchers of the request when the transaction commits.
const update = query(
  'connections.change',
  `with changed as (
     update server_connections set ${connections.set(changed)}, version = version + 1, updated_at = now()
     where id = :id and version = :version returning ${columns})
   select changed.* from changed
   cross join lateral (select pg_notify('drydock_connections', changed."id")) told`,
  connections.pick(['id', 'version', ...changed]),
  row,
);
export type ConnectionChange = Partial<Pick<ConnectionRow, (typeof changed)[number]>>;

/** Clears the error. Returns undefined if the row has changed since it was read. */
export function change(
  db: Db,
  before: ConnectionRow,
  changes: ConnectionChange,
): Promise<ConnectionRow | undefined> {
  return db.row(update, { ...before, error: null, ...changes });
}
