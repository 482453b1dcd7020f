import { type Db, selectList, statement } from '../database.ts';
import type { OrganizationRole } from './identity.ts';
import { mayView, type ProjectRow, projectColumns } from './projects.ts';
import { type LiveServerRow, liveServerColumns, liveServerTables } from './servers.ts';

interface KeyRow {
  keyId: string;
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

/** Who calls, and what the path names, as far as the caller may see it. */
export interface CallerRow {
  key: KeyRow;
  project: ProjectRow | undefined;
  server: LiveServerRow | undefined;
}

type Columns<Row> = { [Field in keyof Row]: string };

const keyColumns: Columns<KeyRow> = {
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
const parts = { key: keyColumns, project: projectColumns('m.role', 'i.role'), server: liveServerColumns };
type Part = keyof typeof parts;

const selected = (...names: Part[]): string =>
  names
    .flatMap((name) => Object.entries(parts[name]).map(([field, from]) => `${from} as "${name}.${field}"`))
    .join(', ');

const ofKey = `api_keys k
   left join users u on u.id = k.user_id
   left join organizations o on o.id = k.organization_id
   left join organization_members m on m.organization_id = o.id and m.user_id = u.id`;
const ofProject = `${ofKey}
   left join projects p on p.id = $2 and p.organization_id = o.id
   left join project_members i on i.project_id = p.id and i.user_id = u.id`;
const ofServer = `${ofProject}
   left join (${liveServerTables}) on s.project_id = p.id and s.id = $3`;

// One of these runs on every request, and is its only journey to the database before the operation begins. Reading the
// row each time is what makes a revocation immediate everywhere.
const byKey = statement<KeyRow>(
  'callers.key',
  `select ${selectList(keyColumns)} from ${ofKey} where k.hash = $1`,
);
const onProject = statement<Flat>(
  'callers.project',
  `select ${selected('key', 'project')}, ${mayView('m.role', 'i.role')} as visible from ${ofProject} where k.hash = $1`,
);
const onServer = statement<Flat>(
  'callers.server',
  `select ${selected('key', 'project', 'server')}, ${mayView('m.role', 'i.role')} as visible from ${ofServer}
   where k.hash = $1`,
);

type Flat = Record<string, unknown>;

export async function findCaller(
  db: Db,
  hash: Buffer,
  path: { projectId?: string | undefined; serverId?: string | undefined },
): Promise<CallerRow | undefined> {
  const { projectId, serverId } = path;
  if (projectId === undefined) {
    const key = await db.row(byKey, [hash]);
    return key && { key, project: undefined, server: undefined };
  }
  const row =
    serverId === undefined
      ? await db.row(onProject, [hash, projectId])
      : await db.row(onServer, [hash, projectId, serverId]);
  if (!row) return undefined;
  const visible = row['visible'] === true;
  return {
    key: part(row, 'key') as KeyRow,
    project: visible ? part(row, 'project') : undefined,
    server: visible ? part(row, 'server') : undefined,
  };
}

/** Field and column of each part, made once. */
const fieldsOf = {
  key: columnsOf('key'),
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
  return name === 'key' || (fields['id'] ?? undefined) !== undefined
    ? (fields as unknown as CallerRow[Name])
    : undefined;
}
