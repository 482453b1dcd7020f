import * as connections from '../../platform/database/queries/registry-connections.ts';
import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';

export const listRegistryConnections: Verb<'listRegistryConnections'> = (context, page) => {
  const { db, project } = context;
  const fetch = (after: string, most: number) =>
    db.rows(connections.list, { projectId: project.id, after, most });
  return pageById(context, ['registry connections', project.id], page, fetch, presentConnection);
};

function presentConnection(row: connections.ListedConnection) {
  const { id, kind, projectId, serverId, serverName, endpointKind, connectedAt } = row;
  const { registryServerId, catalogServerId, endpointUrl } = row;
  return {
    id,
    kind,
    projectId,
    serverId,
    serverName,
    ...(registryServerId !== null && { scope: 'organization' as const, registryServerId }),
    ...(catalogServerId !== null && { catalogServerId }),
    ...(endpointUrl !== null && { endpointUrl }),
    endpointKind,
    connectedAt,
  };
}
