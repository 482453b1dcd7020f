import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { ConnectionRow } from '../../platform/database/queries/server-connections.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { hideQuery } from '../../platform/network/hide-query.ts';
import type { Context } from '../context/context.ts';

export type ServerConnection = OutputOf<Operations['getServerConnection']>;

const final = new Set<ConnectionRow['status']>(['ready', 'failed', 'expired', 'cancelled']);

/**
 * Current status. An open request counts as over once it has expired or its target is deleted, even if the row does
 * not say so yet.
 */
export function statusNow(context: Pick<Context, 'clock'>, row: ConnectionRow): ConnectionRow['status'] {
  if (final.has(row.status)) return row.status;
  const gone = row.projectId === null || (row.status === 'awaiting_authorization' && row.serverId === null);
  if (gone) return 'cancelled';
  return row.expiresAt <= context.clock() ? 'expired' : row.status;
}

export function isOver(context: Pick<Context, 'clock'>, row: ConnectionRow): boolean {
  return final.has(statusNow(context, row));
}

export async function presentConnection(context: Context, row: ConnectionRow): Promise<ServerConnection> {
  const { id, projectId, serverId, error } = row;
  const status = statusNow(context, row);
  const server =
    projectId === null || serverId === null
      ? undefined
      : await context.db.row(servers.find, { projectId, id: serverId });
  return {
    connectionRequestId: id,
    status,
    expiresAt: new Date(row.expiresAt).toISOString(),
    ...(projectId !== null && { projectId }),
    ...(server && {
      serverId: server.id,
      server: { id: server.id, name: server.name, url: hideQuery(server.url ?? ''), enabled: server.enabled },
    }),
    // Hides the pending error of a request that is over by now.
    ...(error && status === row.status && { error }),
  };
}
