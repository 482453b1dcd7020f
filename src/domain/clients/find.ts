import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { type ClientRow, clientsNamed, findClient } from '../../platform/database/queries/clients.ts';

export function noSuchClient(): Refusal {
  return new Refusal('NOT_FOUND', 'No such client in this project');
}

/** The client that an id or a name means. */
export async function clientCalled(
  db: Db,
  projectId: string,
  idOrName: string,
  withPrivate = false,
): Promise<ClientRow> {
  const byId = await findClient(db, projectId, idOrName);
  if (byId) return byId;
  // Otherwise a deletion that is repeated would reach whoever took the id for a name.
  if (/^cli_[0-9a-z]{26}$/.test(idOrName)) throw noSuchClient();
  const [named, ...others] = await clientsNamed(db, projectId, idOrName, withPrivate);
  if (!named) throw noSuchClient();
  if (others.length > 0)
    throw new Refusal('CONFLICT', `Several clients are named ${JSON.stringify(idOrName)}. Use an id`, {
      details: { reason: 'AMBIGUOUS_NAME', candidateIds: [named, ...others].map(({ id }) => id) },
    });
  const client = await findClient(db, projectId, named.id);
  if (!client) throw noSuchClient();
  return client;
}
