import type { z } from 'zod';
import type { SuiteHosts } from '../../contract/eval-suites.ts';
import type { Db } from '../../platform/database/database.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import { invalid, notFound } from '../base/refusals.ts';
import { clientCalled } from '../clients/find.ts';
import { serversCalled } from '../servers/called.ts';
import type { SuiteHost } from './suite.ts';

export async function hostsCalled(
  db: Db,
  projectId: string,
  hosts: z.output<typeof SuiteHosts>,
): Promise<{ hosts: SuiteHost[]; named: { id: string; name: string }[] }> {
  const named: { id: string; name: string }[] = [];
  const chosen: SuiteHost[] = [];
  for (const { host, servers: own } of hosts) {
    const { id, name } = await clientCalled(db, projectId, host);
    if (named.some((other) => other.id === id))
      throw invalid(`hosts: Client "${name}" is listed twice. Remove one entry`);
    named.push({ id, name });
    const ids = own && (await serversCalled(db, projectId, own)).map((server) => server.id);
    chosen.push({ id, ...(ids && { servers: ids }) });
  }
  return { hosts: chosen, named };
}

/** Active environments of the project, deduplicated, in the given order. */
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
