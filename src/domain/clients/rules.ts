import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { countClients } from '../../platform/database/queries/clients.ts';
import { holdServers } from '../../platform/database/queries/servers.ts';
import type { Config } from './config.ts';
import { serversIn } from './config.ts';

/** A list of clients is answered whole. */
export const mostClients = 1000;

export async function checkRoom(db: Db, projectId: string): Promise<void> {
  if ((await countClients(db, projectId)) >= mostClients)
    throw new Refusal('CONFLICT', `A project has at most ${mostClients} clients. Delete one first`, {
      details: { reason: 'LIMIT_REACHED', limit: mostClients },
    });
}

/** Every server that a configuration adds must be there, in this project. */
export async function checkServers(
  db: Db,
  projectId: string,
  config: Config,
  before: Config = {},
): Promise<void> {
  const { required, optional } = serversIn(config);
  const known = serversIn(before);
  const old = new Set([...known.required, ...known.optional]);
  const added = [...required, ...optional].filter((id) => !old.has(id));
  if (added.length === 0) return;
  const found = new Set(await holdServers(db, projectId, added));
  const missing = added.filter((id) => !found.has(id));
  if (missing.length > 0)
    throw new Refusal('VALIDATION_ERROR', `serverIds: There is no server ${missing[0]} in this project`, {
      details: { serverIds: missing },
    });
}
