import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import type { SuiteFile } from '../../suite-files/suite-file.ts';
import type { Suite } from '../eval-suites/suite.ts';

/** The target of a suite by current names, with notes about parts a file cannot express. */
export async function namedTarget(
  db: Db,
  suite: Suite,
): Promise<{ target: SuiteFile['target']; notes: string[] }> {
  const { projectId, serverIds, environmentIds, hosts } = suite;
  const notes: string[] = [];
  const ids = [...serverIds, ...hosts.flatMap((host) => host.servers ?? [])];
  const known = await db.rows(servers.named, { projectId, ids });
  const namesOf = (wanted: readonly string[]): string[] =>
    wanted.flatMap((id) => known.find((server) => server.id === id)?.name ?? []);
  const gone = ids.filter((id) => !known.some((server) => server.id === id));
  note(notes, 'Deleted servers are left out', gone);

  const named: NonNullable<SuiteFile['target']['hosts']> = [];
  const missing: string[] = [];
  for (const host of hosts) {
    const called = await nameOfClient(db, projectId, host.id);
    if (called === undefined) missing.push(host.id);
    else named.push({ host: called, ...(host.servers && { servers: namesOf(host.servers) }) });
  }
  note(notes, 'Deleted clients are left out', missing);

  const [environmentId, ...others] = environmentIds;
  const environment =
    environmentId === undefined
      ? undefined
      : ((await db.row(environments.find, { projectId, id: environmentId }))?.name ?? environmentId);
  note(notes, 'A file names one environment; these are attached too', others);
  const names = namesOf(serverIds);
  return {
    target: {
      ...(names.length > 0 && { servers: names.map((name) => ({ name })) }),
      ...(environment !== undefined && { environment }),
      ...(named.length > 0 && { hosts: named }),
    },
    notes,
  };
}

function note(notes: string[], what: string, ids: readonly string[]): void {
  if (ids.length > 0) notes.push(`${what}: ${[...new Set(ids)].join(', ')}`.slice(0, 1000));
}

/** The client's name if it identifies the client, otherwise its ID; undefined if the client was deleted. */
async function nameOfClient(db: Db, projectId: string, id: string): Promise<string | undefined> {
  const client = await db.row(clients.find, { projectId, id });
  if (!client) return undefined;
  const { name } = client;
  const alike = await db.rows(clients.named, { projectId, nameKey: nameKey(name), withPrivate: false });
  return alike.length === 1 && alike[0]?.id === id ? name : id;
}
