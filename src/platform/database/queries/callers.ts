import { bytes, type Columns, flag, type Kind, oneOf, orNull, type RowOf, text } from '../columns.ts';
import { type Db, selectList } from '../database.ts';
import { type Query, query } from '../query.ts';
import { isActive } from './console-sessions.ts';
import { organizations } from './organizations.ts';
import { projectColumns, projectList } from './projects.ts';
import { live, liveServerColumns, liveServerTables } from './servers.ts';
import { users } from './users.ts';
import type { OrganizationRole } from './visibility.ts';
import { mayView } from './visibility.ts';

/** The parts of a row, with columns named after part and field. A part exists if its ID is set. */
const parts = {
  key: { id: text },
  /** `stale`: the last use was recorded more than a minute ago. */
  session: { id: text, organizationId: orNull(text), stale: flag, operator: flag },
  user: users.columns,
  organization: { ...organizations.pick(['id', 'plan']), role: orNull(oneOf<OrganizationRole>()) },
  project: projectColumns,
  server: live,
};
type Part = keyof typeof parts;
type PartRow<Name extends Part> = RowOf<(typeof parts)[Name]>;

/** The caller, and the objects named in the path. */
export interface CallerRow {
  key: PartRow<'key'> | undefined;
  session: PartRow<'session'> | undefined;
  user: PartRow<'user'> | undefined;
  organization: PartRow<'organization'> | undefined;
  project: PartRow<'project'> | undefined;
  /** The project exists in the caller's organization, but the caller has no access to it. */
  projectClosed: boolean;
  server: PartRow<'server'> | undefined;
}

/**
 * Identifies the caller: by the hash of an API key, by the hash of a session token with the chosen organization, or by
 * an account for work on its behalf.
 */
export type CallerIdentity =
  | { keyHash: Buffer }
  | { sessionHash: Buffer; chosenId: string | null }
  | { organizationId: string; userId: string };

/** Part of a query: its select list, FROM clause, parameters and columns. */
interface Piece {
  list: string;
  from: string;
  takes: Columns;
  gives: Columns;
}

const named = (part: Part, list: string): string => list.replaceAll(' as "', ` as "${part}.`);
const columnsOf = (...names: Part[]): Columns =>
  Object.fromEntries(
    names.flatMap((name) =>
      Object.entries<Kind>(parts[name]).map(([field, kind]) => [`${name}.${field}`, kind]),
    ),
  );

const account = (by: 'key' | 'session', list: string, from: string, takes: Columns): Piece => ({
  list: `${list}, ${named('user', users.all('u'))},
     o.id as "organization.id", o.plan as "organization.plan", m.role as "organization.role"`,
  from: `${from} left join organization_members m on m.organization_id = o.id and m.user_id = u.id`,
  takes,
  gives: columnsOf(by, 'user', 'organization'),
});
const byKey = account(
  'key',
  'k.id as "key.id"',
  `(select id, user_id, organization_id from api_keys where hash = :keyHash and revoked_at is null) k
     left join users u on u.id = k.user_id left join organizations o on o.id = k.organization_id`,
  { keyHash: bytes },
);
const byAccount = account(
  'key',
  'k.id as "key.id"',
  `(select null::text as id) k
     cross join users u join organizations o on u.id = :userId and o.id = :organizationId`,
  { userId: text, organizationId: text },
);
/**
 * Users may belong to several organizations. Selects the chosen one, else that of the project in the path, else the
 * last used one, else the first.
 */
const bySession = (ofProject: string, takes: Columns): Piece =>
  account(
    'session',
    `c.id as "session.id", c.organization_id as "session.organizationId", u.operator as "session.operator",
     c.last_seen_at < now() - interval '1 minute' as "session.stale"`,
    `console_sessions c join users u on u.id = c.user_id and c.hash = :sessionHash and ${isActive('c')}
     left join organizations o on o.id = coalesce(:chosenId::text, ${ofProject}
       (select n.organization_id from organization_members n where n.user_id = u.id
        order by n.organization_id = c.organization_id desc, n.organization_id limit 1))`,
    { sessionHash: bytes, chosenId: orNull(text), ...takes },
  );
const byProjectsSession = bySession(
  `(select q.organization_id from projects q join organization_members n
      on n.organization_id = q.organization_id and n.user_id = u.id where q.id = :projectId),`,
  { projectId: text },
);

const project = (which: string, takes: Columns): Piece => ({
  list: `${named('project', projectList('m.role', 'i.role'))}, ${mayView('m.role', 'i.role')} as visible`,
  from: `left join projects p on ${which} and p.organization_id = o.id and p.deleted_at is null
     left join project_members i on i.project_id = p.id and i.user_id = u.id`,
  takes,
  gives: { ...columnsOf('project'), visible: orNull(flag) },
});
const projectById = project('p.id = :projectId', { projectId: text });
const defaultProject = project('p.is_default', {});

const server: Piece = {
  list: named('server', selectList(liveServerColumns)),
  from: `left join (${liveServerTables}) on s.project_id = p.id and s.id = :serverId`,
  takes: { serverId: text },
  gives: columnsOf('server'),
};

/**
 * Each request runs one of these, its only query before the operation begins. Reading the rows on every request makes a
 * revocation effective immediately on all replicas.
 */
const byIdentity = {
  key: readings('key', byKey),
  session: readings('session', bySession('', {}), byProjectsSession),
  account: readings('account', byAccount),
};

/** `whoInProject` is used where the project in the path determines the organization. */
function readings(name: string, who: Piece, whoInProject = who) {
  return {
    alone: reading(`callers.${name}`, who),
    id: {
      project: reading(`callers.${name}-on-id`, whoInProject, projectById),
      server: reading(`callers.${name}-on-id-and-server`, whoInProject, projectById, server),
    },
    default: {
      project: reading(`callers.${name}-on-default`, who, defaultProject),
      server: reading(`callers.${name}-on-default-and-server`, who, defaultProject, server),
    },
  };
}

function reading(name: string, ...pieces: Piece[]): Query {
  const list = pieces.map((piece) => piece.list).join(', ');
  const from = pieces.map((piece) => piece.from).join(' ');
  const merged = (side: 'takes' | 'gives'): Columns =>
    Object.fromEntries(pieces.flatMap((piece) => Object.entries(piece[side])));
  return query(name, `select ${list} from ${from}`, merged('takes'), merged('gives'), {
    batched: true,
  });
}

export interface CallerPath {
  projectId?: string | undefined;
  serverId?: string | undefined;
  /** `default` as the project ID means the Default project. */
  defaultProject?: boolean | undefined;
}

export async function findCaller(
  db: Db,
  identity: CallerIdentity,
  { projectId, serverId, defaultProject }: CallerPath,
): Promise<CallerRow | undefined> {
  const choice = byIdentity[kindOf(identity)];
  const values = { ...identity, projectId, serverId };
  const on = choice[defaultProject && projectId === 'default' ? 'default' : 'id'];
  const onPath = serverId === undefined ? on.project : on.server;
  const query = projectId === undefined ? choice.alone : onPath;
  const row = await db.row(query, values);
  if (!row) return undefined;
  const project = partOf(row, 'project');
  const visible = row['visible'] === true;
  return {
    key: partOf(row, 'key'),
    session: partOf(row, 'session'),
    user: partOf(row, 'user'),
    organization: partOf(row, 'organization'),
    project: visible ? project : undefined,
    projectClosed: project !== undefined && !visible,
    server: visible ? partOf(row, 'server') : undefined,
  };
}

function kindOf(identity: CallerIdentity): keyof typeof byIdentity {
  if ('keyHash' in identity) return 'key';
  return 'sessionHash' in identity ? 'session' : 'account';
}

/** Maps the fields of each part to columns once. */
const fieldsOf = {
  key: fields('key'),
  session: fields('session'),
  user: fields('user'),
  organization: fields('organization'),
  project: fields('project'),
  server: fields('server'),
};

function fields(name: Part): { id: string; columns: { field: string; column: string }[] } {
  const columns = Object.keys(parts[name]).map((field) => ({ field, column: `${name}.${field}` }));
  return { id: `${name}.id`, columns };
}

/** Undefined if the part was not joined or not selected. */
function partOf<Name extends Part>(row: Record<string, unknown>, name: Name): PartRow<Name> | undefined {
  const { id, columns } = fieldsOf[name];
  if ((row[id] ?? undefined) === undefined) return undefined;
  const read: Record<string, unknown> = {};
  for (const { field, column } of columns) read[field] = row[column];
  return read as PartRow<Name>;
}
