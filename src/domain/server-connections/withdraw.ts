import type { Db } from '../../platform/database/database.ts';
import type { ConnectionRow } from '../../platform/database/queries/server-connections.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import type { Services } from '../context/context.ts';

/** Deletes the server saved only to wait for tokens, unless it has been edited or used since. */
export async function withdraw(
  { vault }: Pick<Services, 'vault'>,
  db: Db,
  row: ConnectionRow,
): Promise<void> {
  const { serverId: id, projectId, request } = row;
  if (!request.created || id === null || projectId === null) return;
  const gone = await db.row(servers.removeUntouched, { projectId, id });
  if (gone?.sealedId) await vault.forget(db, gone.sealedId);
}
