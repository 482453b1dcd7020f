import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** System programs used to confine commands. */
const names = ['bwrap', 'setpriv', 'unshare', 'prlimit', 'nice', 'choom', 'env', 'sh'] as const;
type Tool = (typeof names)[number];
export type Tools = Partial<Record<Tool, string>>;

/** Fixed folders instead of PATH: a user with write access to a folder in PATH could run code as the service. */
const systemFolders = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
];

/** The tools that exist, by full path. */
export function findTools(): Tools {
  if (process.platform !== 'linux') return {};
  const found = names.flatMap((name) => {
    const path = systemFolders.map((folder) => join(folder, name)).find(isExecutable);
    return path === undefined ? [] : [[name, path] as const];
  });
  return Object.fromEntries(found);
}

function isExecutable(path: string): boolean {
  return accessProblem(path) === undefined;
}

function accessProblem(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EACCES';
  }
}

/**
 * Throws the error with which starting the command would fail. A wrapped command needs the check, because there the
 * wrapper starts and then exits.
 */
export function requireCommand(command: string, path: string | undefined): void {
  const problems = command.includes('/')
    ? [accessProblem(resolve(command))]
    : (path ?? '/usr/bin:/bin')
        .split(delimiter)
        .map((folder) => resolve(folder, command))
        // A command in a folder that is closed to this process counts as missing.
        .map((place) => (existsSync(place) ? accessProblem(place) : 'ENOENT'));
  if (problems.includes(undefined)) return;
  const code = problems.find((problem) => problem !== 'ENOENT' && problem !== 'ENOTDIR') ?? 'ENOENT';
  throw Object.assign(new Error(`spawn ${command} ${code}`), { code });
}
