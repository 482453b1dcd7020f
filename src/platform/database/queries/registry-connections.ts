import { bigint, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const connections = table('registry_connections', {
  id: text,
  projectId: text,
  serverId: text,
  kind: oneOf<'registry' | 'catalog'>(),
  registryServerId: orNull(text),
  catalogServerId: orNull(text),
  endpointUrl: orNull(text),
  place: text,
  endpointKind: text,
  connectedAt: time,
});
export type ConnectionRow = RowOf<typeof connections.columns>;

const listed = { ...connections.columns, serverName: text };
export type ListedConnection = RowOf<typeof listed>;
export const list = query(
  'registry-connections.list',
  `select ${connections.all('c')}, s.name as "serverName"
   from registry_connections c join servers s on s.id = c.server_id
   where c.project_id = :projectId and c.id > :after order by c.id limit :most`,
  { projectId: text, after: text, most: bigint },
  listed,
  { index: 'registry_connections_project' },
);
/** `originId` is the ID of a card or of a directory entry. */
export const find = query(
  'registry-connections.find',
  `select ${connections.all()} from registry_connections
   where project_id = :projectId and (registry_server_id = :originId or catalog_server_id = :originId)`,
  { projectId: text, originId: text },
  connections.columns,
);
const made = [
  'id',
  'projectId',
  'serverId',
  'kind',
  'registryServerId',
  'catalogServerId',
  'endpointUrl',
  'place',
  'endpointKind',
] as const;
export const insert = query('registry-connections.insert', connections.insert(made), connections.pick(made));
/** Updates a reinstalled server, possibly in another project. */
export const renew = query(
  'registry-connections.renew',
  `update registry_connections set endpoint_url = :endpointUrl, place = :place, endpoint_kind = :endpointKind, connected_at = now()
   where id = :id`,
  connections.pick(['id', 'endpointUrl', 'place', 'endpointKind']),
);
