import { statSync } from 'node:fs';
import { largestSuiteFile } from '../../../contract/eval-suite-files.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type Problem, SuiteFileProblem } from '../../../suite-files/problem.ts';
import type { ReadSuiteFile } from '../../../suite-files/read.ts';
import type { FileServer } from '../../../suite-files/servers.ts';
import { type Client, eachItem } from '../../client/index.ts';
import { everything } from '../../common/everything.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { readNamed } from '../files.ts';
import { asRefused } from '../refused.ts';

/** Whether the argument names a suite file rather than a suite's ID or name. */
export function isSuiteFile(argument: string): boolean {
  return (
    /\.(?:ya?ml|json)$/i.test(argument) || statSync(argument, { throwIfNoEntry: false })?.isFile() === true
  );
}

/** A validated suite file with the servers it declares. */
export interface LocalSuite extends ReadSuiteFile {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  servers: [name: string, server: FileServer][];
}

/** Reads a suite file and resolves environment variables in its servers. */
export async function localSuite(path: string, env: NodeJS.ProcessEnv): Promise<LocalSuite> {
  const bytes = await bytesOf(path);
  const read = await readFileAt(path, bytes);
  const { withEnvironment } = await import('../../../suite-files/servers.ts');
  const problems: Problem[] = [];
  const servers = Object.entries(read.file.servers ?? {}).map(([name, declared]): [string, FileServer] => {
    const { server, missing } = withEnvironment(declared, env);
    for (const { path: below, variable } of missing) {
      const at = `servers.${name}`;
      const message = `The environment variable ${variable} is not set`;
      problems.push({ line: 1, column: 1, ...read.places[at], path: [at, ...below].join('.'), message });
    }
    return [name, server];
  });
  if (problems.length > 0) throw problemAt(path, new SuiteFileProblem(problems));
  return { ...read, path, bytes, servers };
}

type Out = { write(text: string): unknown } | undefined;

/** Saves the servers of a file. A server that the project already has by name is changed only with `update`. */
export async function saveServers(
  api: Client,
  projectId: string,
  { servers }: LocalSuite,
  { update, screen }: { update: boolean; screen: Out },
): Promise<void> {
  if (servers.length === 0) return;
  const known = await everything(api.listProjectServers, { projectId });
  for (const [name, server] of servers) {
    const saved = known.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const transportType = server.command === undefined ? ('http' as const) : ('stdio' as const);
    const body = { ...server, transportType };
    if (!saved) await api.createProjectServer({ projectId, body: { name, ...body } });
    else if (update) await api.updateProjectServer({ projectId, serverId: saved.id, body });
    const what = saved
      ? update
        ? 'Updated'
        : 'Kept as saved (use --update-servers to apply the file)'
      : 'Saved';
    screen?.write(`${what}: server ${oneLine(name, 200)}\n`);
  }
}

/** Syncs the suite with the file and prints the changes. */
export async function syncSuiteFile(
  api: Client,
  projectId: string,
  { path, bytes, file }: LocalSuite,
  screen: Out,
): Promise<{ id: string }> {
  const contentType = /\.json$/i.test(path) ? 'application/json' : 'application/yaml';
  const call = api.syncEvalSuiteFile({
    projectId,
    declaredSuiteId: file.suite.id,
    upload: { contentType, bytes },
  });
  const { suite, created, unchanged, cases } = await call.catch((error: unknown) => {
    throw problemAt(path, error) ?? error;
  });
  const changes = (['created', 'updated', 'deleted', 'unchanged'] as const)
    .filter((what) => cases[what] > 0)
    .map((what) => `${cases[what]} ${what}`);
  const what = created ? 'Created' : unchanged ? 'Unchanged' : 'Updated';
  screen?.write(
    `${what}: suite ${oneLine(suite.name ?? '', 200)} (${suite.id}); cases: ${changes.join(', ')}\n`,
  );
  return suite;
}

/** Approvals that let approximately imported cases run. */
export async function approvedImports(
  api: Client,
  suite: { projectId: string; suiteId: string },
  reason: string,
): Promise<{ testCaseId: string; reason: string }[]> {
  const approvals: { testCaseId: string; reason: string }[] = [];
  for await (const { id, import: claim } of eachItem(api.listEvalCases, suite))
    if (claim?.['status'] === 'approximated') approvals.push({ testCaseId: id, reason });
  return approvals;
}

export async function bytesOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > largestSuiteFile)
    throw new OperatorProblem(
      `${path} is larger than ${largestSuiteFile.toLocaleString('en')} bytes, the limit for suite files`,
    );
  return readNamed(path);
}

/** Parses a suite file. Errors name the line and column. */
export async function readFileAt(path: string, bytes: Uint8Array): Promise<ReadSuiteFile> {
  const { readSuiteFile } = await import('../../../suite-files/read.ts');
  try {
    return readSuiteFile(bytes, { fileName: path });
  } catch (error) {
    throw problemAt(path, error) ?? error;
  }
}

/** One line per problem, as path:line:column, which editors and CI turn into links. */
export function problemAt(path: string, error: unknown): OperatorProblem | undefined {
  const { problems, more } = problemsIn(error);
  if (problems.length === 0) return undefined;
  const lines = problems.map(
    ({ line, column, path: at, message }) => `${path}:${line}:${column}: ${at && `${at}: `}${message}`,
  );
  const others = more > 0 ? [`and ${more} more`] : [];
  return new OperatorProblem(['The suite file is not valid', ...lines, ...others].join('\n'));
}

function problemsIn(error: unknown): { problems: readonly Problem[]; more: number } {
  if (error instanceof SuiteFileProblem) return error;
  const { problems = [], more = 0 } = (asRefused(error)?.details ?? {}) as {
    problems?: Problem[];
    more?: number;
  };
  return { problems, more };
}
