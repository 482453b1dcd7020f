import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as grants from '../../platform/database/queries/grants.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import type { Services } from '../context/context.ts';

/** Saves a server, appending a number to its name if that is taken. */
export async function saveUnderFreeName(
  db: Db,
  { name, ...fields }: Omit<servers.ServerFields, 'id' | 'nameKey'>,
  now?: number,
): Promise<servers.ServerRow> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name} ${number}`;
    const id = newId('srv', now);
    const server = await db.row(servers.insertIfFree, { ...fields, id, name: free, nameKey: nameKey(free) });
    if (server) return server;
  }
}

/** Deletes a server with everything stored for it, including sealed values. */
export async function removeServer(
  { vault }: Pick<Services, 'vault'>,
  db: Db,
  { id, projectId, sealedId }: Pick<servers.ServerRow, 'id' | 'projectId' | 'sealedId'>,
): Promise<void> {
  const grant = await db.row(grants.remove, { serverId: id });
  await db.run(servers.remove, { projectId, id });
  for (const sealed of [grant?.sealedId, sealedId]) if (sealed) await vault.forget(db, sealed);
}
