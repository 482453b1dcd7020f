import { type Db, type Statement, statement } from '../database.ts';
import type { OrganizationRole } from './identity.ts';
import { mayView, type ProjectRow, projectColumns } from './projects.ts';
import { type LiveServerRow, liveServerColumns, liveServerTables } from './servers.ts';

interface AccountRow {
  keyId: string | null;
  revoked: boolean;
  userId: string | null;
  email: string;
  userName: string;
  imageUrl: string | null;
  userCreatedAt: number;
  userUpdatedAt: number;
  organizationId: string | null;
  plan: string;
  role: OrganizationRole | null;
}

/** Who calls, and what the path names. */
export interface CallerRow {
  account: AccountRow;
  project: ProjectRow | undefined;
  /** The project is there, in the caller's organization, and the caller may not enter it. */
  projectClosed: boolean;
  server: LiveServerRow | undefined;
}

/** How callers are known: by the hash of the key they show, or as an account that somebody acts for. */
export type CallerIdentity = { keyHash: Buffer } | { organizationId: string; userId: string };

type Columns<Row> = { [Field in keyof Row]: string };

const accountColumns: Columns<AccountRow> = {
  keyId: 'k.id',
  revoked: 'k.revoked_at is not null',
  userId: 'u.id',
  email: 'u.email',
  userName: 'u.name',
  imageUrl: 'u.image_url',
  userCreatedAt: 'u.created_at',
  userUpdatedAt: 'u.updated_at',
  organizationId: 'o.id',
  plan: 'o.plan',
  role: 'm.role',
};
const parts = {
  account: accountColumns,
  project: projectColumns('m.role', 'i.role'),
  server: liveServerColumns,
};
type Part = keyof typeof parts;

const selected = (...names: Part[]): string =>
  names
    .flatMap((name) => Object.entries(parts[name]).map(([field, from]) => `${from} as "${name}.${field}"`))
    .join(', ');

/** Where callers are looked up. $1 and $2 say who, $3 and $4 name the project and the server. */
const sources = {
  key: `(select k.*, $2::text as unused from api_keys k where k.hash = $1) k
   left join users u on u.id = k.user_id
   left join organizations o on o.id = k.organization_id
   left join organization_members m on m.organization_id = o.id and m.user_id = u.id`,
  account: `(select null::text as id, null::timestamptz as revoked_at) k
   cross join users u join organizations o on u.id = $1 and o.id = $2
   left join organization_members m on m.organization_id = o.id and m.user_id = u.id`,
};
const projects = {
  id: 'p.id = $3',
  default: `p.is_default and $3 = 'default'`,
};
const server = `left join (${liveServerTables}) on s.project_id = p.id and s.id = $4`;

type Flat = Record<string, unknown>;
type Source = keyof typeof sources;
type ProjectBy = keyof typeof projects;

/**
 * One of these runs on every request, and is its only journey to the database before the operation begins. Reading the
 * row each time is what makes a revocation immediate everywhere.
 */
const alone = bySource((source) =>
  statement<Flat>(`callers.${source}`, `select ${selected('account')} from ${sources[source]}`),
);
const onProject = bySource((source) => byProject((by) => reading(source, by, false)));
const onServer = bySource((source) => byProject((by) => reading(source, by, true)));

function bySource<T>(make: (source: Source) => T): Record<Source, T> {
  return { key: make('key'), account: make('account') };
}

function byProject<T>(make: (by: ProjectBy) => T): Record<ProjectBy, T> {
  return { id: make('id'), default: make('default') };
}

function reading(source: Source, by: ProjectBy, withServer: boolean): Statement<Flat> {
  const columns = withServer ? selected('account', 'project', 'server') : selected('account', 'project');
  return statement<Flat>(
    `callers.${source}-on-${by}${withServer ? '-and-server' : ''}`,
    `select ${columns}, ${mayView('m.role', 'i.role')} as visible from ${sources[source]}
   left join projects p on ${projects[by]} and p.organization_id = o.id and p.deleted_at is null
   left join project_members i on i.project_id = p.id and i.user_id = u.id ${withServer ? server : ''}`,
  );
}

export interface CallerPath {
  projectId?: string | undefined;
  serverId?: string | undefined;
  /** `default` as the project id means the Default project. */
  defaultProject?: boolean | undefined;
}

export async function findCaller(
  db: Db,
  identity: CallerIdentity,
  { projectId, serverId, defaultProject }: CallerPath,
): Promise<CallerRow | undefined> {
  const source = 'keyHash' in identity ? 'key' : 'account';
  const who = 'keyHash' in identity ? [identity.keyHash, null] : [identity.userId, identity.organizationId];
  if (projectId === undefined) {
    const row = await db.row(alone[source], who);
    return row && { account: part(row, 'account') as AccountRow, ...nothing };
  }
  const by = defaultProject && projectId === 'default' ? 'default' : 'id';
  const row =
    serverId === undefined
      ? await db.row(onProject[source][by], [...who, projectId])
      : await db.row(onServer[source][by], [...who, projectId, serverId]);
  if (!row) return undefined;
  const project = part(row, 'project');
  const visible = row['visible'] === true;
  return {
    account: part(row, 'account') as AccountRow,
    project: visible ? project : undefined,
    projectClosed: project !== undefined && !visible,
    server: visible && serverId !== undefined ? part(row, 'server') : undefined,
  };
}

const nothing = { project: undefined, projectClosed: false, server: undefined };

/** Field and column of each part, made once. */
const fieldsOf = {
  account: columnsOf('account'),
  project: columnsOf('project'),
  server: columnsOf('server'),
};

function columnsOf(name: Part): [field: string, column: string][] {
  return Object.keys(parts[name]).map((field) => [field, `${name}.${field}`]);
}

/** Undefined when nothing was joined: what there is has an id. */
function part<Name extends Part>(row: Flat, name: Name): CallerRow[Name] | undefined {
  const fields: Flat = {};
  for (const [field, column] of fieldsOf[name]) fields[field] = row[column];
  return name === 'account' || (fields['id'] ?? undefined) !== undefined
    ? (fields as unknown as CallerRow[Name])
    : undefined;
}
