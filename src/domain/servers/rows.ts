import type { Db } from '../../platform/database/database.ts';
import { deleteGrant } from '../../platform/database/queries/grants.ts';
import { deleteServer, insertServerIfFree, type ServerRow } from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import type { Services } from '../context.ts';

/** Saves a server nobody chose the exact name of: a number is put behind a name that is taken. */
export async function saveUnderFreeName(
  db: Db,
  { name, ...fields }: Omit<Parameters<typeof insertServerIfFree>[1], 'id'>,
  now?: number,
): Promise<ServerRow> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name} ${number}`;
    const server = await insertServerIfFree(db, { ...fields, id: newId('srv', now), name: free });
    if (server) return server;
  }
}

/** A server with everything that is stored of it, sealed values included. */
export async function removeServer(
  { vault }: Pick<Services, 'vault'>,
  db: Db,
  server: Pick<ServerRow, 'id' | 'projectId' | 'sealedId'>,
): Promise<void> {
  const tokens = await deleteGrant(db, server.id);
  await deleteServer(db, server.projectId, server.id);
  for (const sealed of [tokens, server.sealedId]) if (sealed) await vault.forget(db, sealed);
}
