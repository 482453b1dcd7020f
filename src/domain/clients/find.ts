import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import { conflict, found, notFound } from '../base/refusals.ts';

/** Finds a client by ID or name. */
export async function clientCalled(
  db: Db,
  projectId: string,
  idOrName: string,
  withPrivate = false,
): Promise<clients.ClientRow> {
  const byId = await db.row(clients.find, { projectId, id: idOrName });
  if (byId) return byId;
  // A deleted client's ID must not match a client that has it as a name, or a repeated deletion would delete that
  // one.
  if (/^cli_[0-9a-z]{26}$/.test(idOrName)) throw notFound('client');
  const named = await db.rows(clients.named, { projectId, nameKey: nameKey(idOrName), withPrivate });
  if (named.length > 1)
    throw conflict(`Several clients are named ${JSON.stringify(idOrName)}. Use an ID`, 'AMBIGUOUS_NAME', {
      candidateIds: named.map(({ id }) => id),
    });
  const { id } = found(named[0], 'client');
  return found(await db.row(clients.find, { projectId, id }), 'client');
}
