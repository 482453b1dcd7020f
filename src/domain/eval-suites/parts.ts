import type { z } from 'zod';
import type { SuiteHosts } from '../../contract/eval-suites.ts';
import type { Db } from '../../platform/database/database.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { clientCalled } from '../clients/find.ts';
import { invalid } from '../invalid.ts';
import { notFound } from '../refusals.ts';
import type { SuiteHost } from './suite.ts';

/** Servers that a request names by id or by name, each once. */
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

export async function hostsCalled(
  db: Db,
  projectId: string,
  hosts: z.output<typeof SuiteHosts>,
): Promise<{ hosts: SuiteHost[]; named: { id: string; name: string }[] }> {
  const named: { id: string; name: string }[] = [];
  const chosen: SuiteHost[] = [];
  for (const { host, servers: own } of hosts) {
    const { id, name } = await clientCalled(db, projectId, host);
    if (named.some((other) => other.id === id)) throw invalid(`hosts: Names the client ${name} twice`);
    named.push({ id, name });
    const ids = own && (await serversCalled(db, projectId, own)).map((server) => server.id);
    chosen.push({ id, ...(ids && { servers: ids }) });
  }
  return { hosts: chosen, named };
}

/** Live ones of the project, each once, in the order given. */
export async function environmentsCalled(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> {
  const chosen = [...new Set(ids)];
  for (const id of chosen) {
    const environment = await db.row(environments.find, { projectId, id });
    if (!environment) throw notFound('environment');
    if (environment.archivedAt !== null)
      throw invalid(`environmentIds: The environment ${id} is archived. Restore it first`);
  }
  return chosen;
}
