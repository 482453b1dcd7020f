import { statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Refusal } from '../../../contract/errors.ts';
import { largestSuiteFile } from '../../../contract/eval-suite-files.ts';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type Problem, SuiteFileProblem } from '../../../suite-files/problem.ts';
import type { ReadSuiteFile } from '../../../suite-files/read.ts';
import { type Client, DrydockError, eachItem } from '../../client/index.ts';
import { oneLine } from '../../harmless-text.ts';

/** A suite is named by its id, its name, or the file that it is kept in. */
export function isSuiteFile(argument: string): boolean {
  return (
    /\.(?:ya?ml|json)$/i.test(argument) || statSync(argument, { throwIfNoEntry: false })?.isFile() === true
  );
}

/** Makes the suite what the file says; says on `screen` what has changed. */
export async function syncSuiteFile(
  api: Client,
  projectId: string,
  path: string,
  screen: { write(text: string): unknown } | undefined,
): Promise<{ id: string }> {
  const bytes = await bytesOf(path);
  const { file } = await readFileAt(path, bytes);
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
