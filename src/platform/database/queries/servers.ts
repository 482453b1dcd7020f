import {
  bigint,
  bytes,
  flag,
  integer,
  json,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { selectList } from '../database.ts';
import { query } from '../query.ts';

/** Settings of a server that have no column of their own and are not secret. */
export interface ServerSettings {
  command?: string;
  args?: string[];
  /** Names of variables that personal secrets may fill. */
  personalEnv?: string[];
  /** Timeout of a request in milliseconds. */
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
  /** Names of the encrypted headers and variables, so that responses can show that a value exists. */
  headerNames: string[];
  envNames: string[];
  hasClientSecret: boolean;
  /** Every other declared field, as it was sent. */
  [field: string]: unknown;
}

const servers = table(
  'servers',
  {
    id: text,
    projectId: text,
    name: text,
    enabled: flag,
    transportType: oneOf<'http' | 'stdio'>(),
    url: orNull(text),
    settings: json<ServerSettings>(),
    sealedId: orNull(text),
    /** Set if a plugin manages the server. */
    pluginVersionId: orNull(text),
    createdAt: time,
    updatedAt: time,
  },
  { nameKey: text },
);
export type ServerRow = RowOf<typeof servers.columns>;
const which = servers.pick(['projectId', 'id']);

export const list = query(
  'servers.list',
  `select ${servers.all()} from servers where project_id = :projectId and id > :after order by id limit :most`,
  { projectId: text, after: text, most: bigint },
  servers.columns,
  { index: 'servers_project' },
);
export const find = query(
  'servers.find',
  `select ${servers.all()} from servers where project_id = :projectId and id = :id`,
  which,
  servers.columns,
);
/** Locks the row until the transaction ends, which serializes edits. */
export const lock = query(
  'servers.lock',
  `select ${servers.all()} from servers where project_id = :projectId and id = :id for update`,
  which,
  servers.columns,
);
/** Locks a server by its name, which is case-insensitive. */
export const lockNamed = query(
  'servers.lock-named',
  `select ${servers.all()} from servers where project_id = :projectId and name_key = :nameKey for update`,
  { projectId: text, nameKey: text },
  servers.columns,
);
/** Locks the existing servers among these IDs until the transaction ends. */
export const hold = query(
  'servers.hold-all',
  'select id from servers where project_id = :projectId and id = any(:ids) for key share',
  { projectId: text, ids: texts },
  { id: text },
);
/** Servers that runs may use, in the requested order. */
export const enabled = query(
  'servers.enabled',
  `select id, name from servers where project_id = :projectId and id = any(:ids) and enabled
   order by array_position(:ids, id)`,
  { projectId: text, ids: texts },
  { id: text, name: text },
);
/** Existing servers, whether or not runs may use them. */
export const named = query(
  'servers.named',
  'select id, name from servers where project_id = :projectId and id = any(:ids)',
  { projectId: text, ids: texts },
  { id: text, name: text },
);
/** Servers by ID or name. */
export const called = query(
  'servers.called',
  `select id, name from servers where project_id = :projectId and (id = any(:idsOrNames) or name = any(:idsOrNames))
   order by id`,
  { projectId: text, idsOrNames: texts },
  { id: text, name: text },
);
export const described = query(
  'servers.described',
  `select ${servers.all()} from servers where project_id = :projectId and id = any(:ids) order by id`,
  { projectId: text, ids: texts },
  servers.columns,
);
/** Servers with this URL. Served by servers_project. */
export const at = query(
  'servers.at',
  `select ${servers.all()} from servers where project_id = :projectId and url = :url order by id limit 20`,
  { projectId: text, url: text },
  servers.columns,
);

const edited = ['name', 'enabled', 'transportType', 'url', 'settings', 'sealedId'] as const;
const made = ['id', 'projectId', ...edited, 'nameKey', 'pluginVersionId'] as const;
const fields = servers.pick(made);
export type ServerFields = RowOf<typeof fields>;

export const insert = query(
  'servers.insert',
  `${servers.insert(made)} returning ${servers.all()}`,
  fields,
  servers.columns,
);
/** Returns no row if the name is taken. Names are case-insensitive. */
export const insertIfFree = query(
  'servers.insert-if-free',
  `${servers.insert(made)} on conflict on constraint servers_name do nothing returning ${servers.all()}`,
  fields,
  servers.columns,
);
/**
 * An unchanged name keeps its key. Names from before they became case-insensitive may have a key that differs from the
 * name.
 */
export const update = query(
  'servers.update',
  `update servers set ${servers.set(edited)}, name_key = case when name = :name then name_key else :nameKey end,
     revision = revision + 1, updated_at = now()
   where project_id = :projectId and id = :id returning ${servers.all()}`,
  servers.pick(['id', 'projectId', ...edited, 'nameKey']),
  servers.columns,
);
export const remove = query(
  'servers.delete',
  'delete from servers where project_id = :projectId and id = :id',
  which,
);
/** Deletes a server that was never edited and has no tokens. */
export const removeUntouched = query(
  'servers.delete-untouched',
  `delete from servers s where project_id = :projectId and id = :id and revision = 1
     and not exists (select from oauth_grants g where g.server_id = s.id)
   returning sealed_id as "sealedId"`,
  which,
  { sealedId: orNull(text) },
);

/** A server with what a call to it depends on. */
export const live = {
  ...servers.columns,
  /** Incremented by every edit. */
  revision: integer,
  grantId: orNull(text),
  /** The URL the grant's tokens are for. */
  grantUrl: orNull(text),
  grantDead: flag,
  grantExpiresAt: orNull(time),
  /** The last call with the stored credentials ended with a demand for OAuth. */
  oauthDemanded: flag,
  sealedKeyId: orNull(text),
  ciphertext: orNull(bytes),
  /** Slug of the tunnel through which the server is reached. */
  tunnelSlug: orNull(text),
};
export type LiveServerRow = RowOf<typeof live>;

export const liveServerColumns: Record<keyof LiveServerRow, string> = {
  ...servers.from('s'),
  revision: 's.revision',
  grantId: 'g.id',
  grantUrl: 'g.server_url',
  grantDead: 'g.dead_reason is not null',
  grantExpiresAt: 'g.expires_at',
  oauthDemanded: 's.oauth_demanded',
  sealedKeyId: 'v.key_id',
  ciphertext: 'v.ciphertext',
  tunnelSlug: 't.slug',
};
export const liveServerTables = `servers s left join oauth_grants g on g.server_id = s.id
     left join sealed_values v on v.id = s.sealed_id
     left join tunnels t on t.server_id = s.id and t.server_url = s.url`;

export const findLive = query(
  'servers.live',
  `select ${selectList(liveServerColumns)} from ${liveServerTables}
     join projects p on p.id = s.project_id and p.deleted_at is null
   where s.project_id = :projectId and s.id = :id`,
  which,
  live,
);
