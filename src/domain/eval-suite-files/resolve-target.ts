import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { type Problem, problemsFound } from '../../suite-files/problem.ts';
import type { ReadSuiteFile } from '../../suite-files/read.ts';
import { hostsCalled } from '../eval-suites/parts.ts';
import type { SuiteFields, SuiteHost } from '../eval-suites/suite.ts';

type Target = Pick<SuiteFields, 'serverIds' | 'environmentIds' | 'hosts'>;

/** Resolves the project resources a file names. Each missing resource is reported as a separate problem. */
export async function targetIn(db: Db, projectId: string, { file, places }: ReadSuiteFile): Promise<Target> {
  const problems: Problem[] = [];
  const fail = (path: string, code: string, message: string): void => {
    problems.push({ line: 1, column: 1, ...places[path], path, code, message });
  };
  const target = {
    serverIds: await serversIn(db, projectId, file.target.servers ?? [], fail),
    environmentIds: await environmentIn(db, projectId, file.target.environment, fail),
    hosts: await hostsIn(db, projectId, file.target.hosts ?? [], fail),
  };
  if (problems.length > 0) throw problemsFound(problems);
  return target;
}

type Fail = (path: string, code: string, message: string) => void;

async function serversIn(
  db: Db,
  projectId: string,
  named: readonly { name: string; id?: string | undefined }[],
  fail: Fail,
): Promise<string[]> {
  const idsOrNames = named.map(({ name, id }) => id ?? name);
  const known = await db.rows(servers.called, { projectId, idsOrNames });
  const found = named.flatMap(({ name, id }, at) => {
    const server =
      known.find((one) => one.id === (id ?? name)) ??
      (id === undefined ? known.find((one) => one.name === name) : undefined);
    if (server) return server.id;
    const asked = id === undefined ? `called ${JSON.stringify(name)}` : `with the ID ${JSON.stringify(id)}`;
    fail(`target.servers.${at}`, 'UNKNOWN_SERVER', `The project has no server ${asked}. Save it first`);
    return [];
  });
  return [...new Set(found)];
}

async function environmentIn(
  db: Db,
  projectId: string,
  idOrName: string | undefined,
  fail: Fail,
): Promise<string[]> {
  if (idOrName === undefined) return [];
  const found =
    (await db.row(environments.find, { projectId, id: idOrName })) ??
    (await db.row(environments.named, { projectId, nameKey: nameKey(idOrName) }));
  if (found && found.archivedAt === null) return [found.id];
  const problem = found ? 'is archived' : 'is not there';
  fail('target.environment', 'UNKNOWN_ENVIRONMENT', `The environment ${JSON.stringify(idOrName)} ${problem}`);
  return [];
}

async function hostsIn(
  db: Db,
  projectId: string,
  named: Parameters<typeof hostsCalled>[2],
  fail: Fail,
): Promise<SuiteHost[]> {
  const hosts: SuiteHost[] = [];
  for (const [at, one] of named.entries()) {
    const path = `target.hosts.${at}`;
    try {
      const { hosts: found } = await hostsCalled(db, projectId, [one]);
      if (found.some(({ id }) => hosts.some((other) => other.id === id)))
        fail(path, 'UNKNOWN_HOST', `The client ${JSON.stringify(one.host)} is listed twice`);
      hosts.push(...found);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fail(path, 'UNKNOWN_HOST', `The client ${JSON.stringify(one.host)} cannot be used: ${error.message}`);
    }
  }
  return hosts;
}
