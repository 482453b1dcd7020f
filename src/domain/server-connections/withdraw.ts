import type { Db } from '../../platform/database/database.ts';
import type { ConnectionRow } from '../../platform/database/queries/server-connections.ts';
import { deleteUntouchedServer } from '../../platform/database/queries/servers.ts';
import type { Services } from '../context.ts';

/** Removes the server that was saved only to wait for tokens, unless somebody has made something of it. */
export async function withdraw(
  { vault }: Pick<Services, 'vault'>,
  db: Db,
  row: ConnectionRow,
): Promise<void> {
  const { serverId, projectId, request } = row;
  if (!request.created || serverId === null || projectId === null) return;
  const gone = await deleteUntouchedServer(db, projectId, serverId);
  if (gone?.sealedId) await vault.forget(db, gone.sealedId);
}
