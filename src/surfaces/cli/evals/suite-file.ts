import { statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Refusal } from '../../../contract/errors.ts';
import { largestSuiteFile } from '../../../contract/eval-suite-files.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type Problem, SuiteFileProblem } from '../../../suite-files/problem.ts';
import type { ReadSuiteFile } from '../../../suite-files/read.ts';
import type { FileServer } from '../../../suite-files/servers.ts';
import { type Client, DrydockError, eachItem } from '../../client/index.ts';
import { everything } from '../../everything.ts';
import { oneLine } from '../../harmless-text.ts';

/** A suite is named by its id, its name, or the file that it is kept in. */
export function isSuiteFile(argument: string): boolean {
  return (
    /\.(?:ya?ml|json)$/i.test(argument) || statSync(argument, { throwIfNoEntry: false })?.isFile() === true
  );
}

/** A suite file of this machine, read and checked, with the servers that it brings along. */
export interface LocalSuite extends ReadSuiteFile {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  servers: [name: string, server: FileServer][];
}

/** Reads a suite file, and fills variables of the environment into its servers. */
export async function localSuite(path: string, env: NodeJS.ProcessEnv): Promise<LocalSuite> {
  const bytes = await bytesOf(path);
  const read = await readFileAt(path, bytes);
  const { withEnvironment } = await import('../../../suite-files/servers.ts');
  const problems: Problem[] = [];
  const servers = Object.entries(read.file.servers ?? {}).map(([name, declared]): [string, FileServer] => {
    const { server, missing } = withEnvironment(declared, env);
    for (const { path: below, variable } of missing) {
      const at = `servers.${name}`;
      const message = `The variable ${variable} is not set. Set it in the environment of this command`;
      problems.push({ line: 1, column: 1, ...read.places[at], path: [at, ...below].join('.'), message });
    }
    return [name, server];
  });
  if (problems.length > 0) throw problemAt(path, new SuiteFileProblem(problems));
  return { ...read, path, bytes, servers };
}

type Out = { write(text: string): unknown } | undefined;

/** Saves the servers of a file. Those that the project has by name stay as they are, unless `update` says otherwise. */
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
        : 'Used as it is saved, not as the file says (--update-servers changes it)'
      : 'Saved';
    screen?.write(`${what}: server ${oneLine(name, 200)}\n`);
  }
}

/** Makes the suite what the file says; says on `screen` what has changed. */
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

/** For this run, cases may run that only come near to what was imported. */
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

/** The bytes of a file that is not too large to be read. */
export async function bytesOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const { size } = await stat(path);
    if (size > largestSuiteFile)
      throw new OperatorProblem(
        `${path} is larger than ${largestSuiteFile.toLocaleString('en')} bytes, the most that a suite file has`,
      );
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if (error instanceof OperatorProblem) throw error;
    throw new OperatorProblem(`Cannot read ${path}: ${error instanceof Error ? error.message : ''}`);
  }
}

/** A suite file on this machine; what is wrong with it is said with the place. */
export async function readFileAt(path: string, bytes: Uint8Array): Promise<ReadSuiteFile> {
  const { readSuiteFile } = await import('../../../suite-files/read.ts');
  try {
    return readSuiteFile(bytes, { fileName: path });
  } catch (error) {
    throw problemAt(path, error) ?? error;
  }
}

/** What is wrong with a file, a line for each, in the form that editors and CI turn into links. */
export function problemAt(path: string, error: unknown): OperatorProblem | undefined {
  const { problems, more } = problemsIn(error);
  if (problems.length === 0) return undefined;
  const lines = problems.map(
    ({ line, column, path: at, message }) => `${path}:${line}:${column}: ${at && `${at}: `}${message}`,
  );
  const others = more > 0 ? [`and ${more} more`] : [];
  return new OperatorProblem(['The file cannot be used', ...lines, ...others].join('\n'));
}

function problemsIn(error: unknown): { problems: readonly Problem[]; more: number } {
  if (error instanceof SuiteFileProblem) return error;
  const refused = error instanceof Refusal || error instanceof DrydockError;
  const { problems = [], more = 0 } = ((refused && error.details) || {}) as {
    problems?: Problem[];
    more?: number;
  };
  return { problems, more };
}
