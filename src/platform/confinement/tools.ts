import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Programs of the system that a command is started through. */
const names = ['bwrap', 'setpriv', 'unshare', 'prlimit', 'nice', 'choom', 'env', 'sh'] as const;
type Tool = (typeof names)[number];
export type Tools = Partial<Record<Tool, string>>;

/** Not the PATH: whoever can write into a folder of it would run with the rights of the service. */
const systemFolders = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
];

/** Those there are, by their full path. */
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
 * Throws what starting the command would fail with. A command that is started through another program does not fail to
 * start: the other program does start, and ends.
 */
export function requireCommand(command: string, path: string | undefined): void {
  const problems = command.includes('/')
    ? [accessProblem(resolve(command))]
    : (path ?? '/usr/bin:/bin')
        .split(delimiter)
        .map((folder) => resolve(folder, command))
        // In a folder of the PATH that is closed to us, there is no command for us.
        .map((place) => (existsSync(place) ? accessProblem(place) : 'ENOENT'));
  if (problems.includes(undefined)) return;
  const code = problems.find((problem) => problem !== 'ENOENT' && problem !== 'ENOTDIR') ?? 'ENOENT';
  throw Object.assign(new Error(`spawn ${command} ${code}`), { code });
}
