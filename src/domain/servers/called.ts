import type { Db } from '../../platform/database/database.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { notFound } from '../base/refusals.ts';

/** Servers named by ID or name, deduplicated. */
export async function serversCalled(
  db: Db,
  projectId: string,
  idsOrNames: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const known = await db.rows(servers.called, { projectId, idsOrNames: [...idsOrNames] });
  const chosen = new Map<string, { id: string; name: string }>();
  for (const called of idsOrNames) {
    const server = known.find(({ id }) => id === called) ?? known.find(({ name }) => name === called);
    if (!server) throw notFound('server');
    chosen.set(server.id, server);
  }
  return [...chosen.values()];
}
