import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { ConnectionRow } from '../../platform/database/queries/server-connections.ts';
import { findServer } from '../../platform/database/queries/servers.ts';
import type { Context } from '../context.ts';

type ServerConnection = OutputOf<Operations['getServerConnection']>;

const final = new Set<ConnectionRow['status']>(['ready', 'failed', 'expired', 'cancelled']);

/** An open request is over when its hour is, whether or not somebody has written that down. */
export function statusNow(context: Pick<Context, 'clock'>, row: ConnectionRow): ConnectionRow['status'] {
  return !final.has(row.status) && row.expiresAt <= context.clock() ? 'expired' : row.status;
}

export async function presentConnection(context: Context, row: ConnectionRow): Promise<ServerConnection> {
  const { id, projectId, serverId, error } = row;
  const server =
    projectId === null || serverId === null ? undefined : await findServer(context.db, projectId, serverId);
  return {
    connectionRequestId: id,
    status: statusNow(context, row),
    expiresAt: new Date(row.expiresAt).toISOString(),
    ...(projectId !== null && { projectId }),
    ...(server && {
      serverId: server.id,
      server: { id: server.id, name: server.name, url: hideQuery(server.url ?? ''), enabled: server.enabled },
    }),
    ...(error && { error }),
  };
}

/** People put keys into queries. */
export function hideQuery(url: string): string {
  const shown = new URL(url);
  for (const name of shown.searchParams.keys()) shown.searchParams.set(name, 'hidden');
  return shown.href;
}
