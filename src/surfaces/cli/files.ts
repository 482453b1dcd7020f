import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperatorProblem } from '../../platform/problem.ts';

/** Reads a file that was named on the command line. `hint` says what to do when it is missing. */
export async function readNamed(path: string, hint = ''): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const missing = error.code === 'ENOENT';
    throw new OperatorProblem(
      missing ? `There is no file ${path}${hint}` : `Cannot read ${path}: ${error.message}`,
    );
  });
  return new Uint8Array(bytes);
}

/** Reads a file that must contain a JSON object. */
export async function readJsonObject(path: string, hint?: string): Promise<Record<string, unknown>> {
  const text = new TextDecoder().decode(await readNamed(path, hint));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Same message as for other JSON.
  }
  throw new OperatorProblem(`${path} does not contain a JSON object`);
}

type Pieces = AsyncIterable<Uint8Array> | readonly string[];

/**
 * Writes a file atomically: a temporary file beside it is renamed once it is complete. Symbolic links are followed;
 * devices and pipes are written to directly.
 */
export async function writeWhole(path: string, pieces: Pieces): Promise<void> {
  const { place, mode, replace } = await found(path);
  const beside = replace ? `${place}.${randomBytes(6).toString('hex')}.part` : place;
  try {
    if (replace) await mkdir(dirname(place), { recursive: true });
    await fill(beside, replace ? 'wx' : 'w', mode, pieces);
    if (replace) await rename(beside, place);
  } catch (error) {
    if (replace) await rm(beside, { force: true }).catch(() => {});
    throw isOfTheSystem(error) ? new OperatorProblem(`Cannot write ${path}: ${error.message}`) : error;
  }
}

interface Found {
  place: string;
  mode: number;
  replace: boolean;
}

/** Resolves the target. The new file keeps the permissions of the old one. */
async function found(path: string): Promise<Found> {
  if (path === '') throw new OperatorProblem('The file name is empty');
  const before = await stat(path).catch(() => undefined);
  if (!before) return { place: path, mode: 0o666, replace: true };
  if (before.isDirectory()) throw new OperatorProblem(`Cannot write ${path}: it is a folder`);
  return { place: await realpath(path), mode: before.mode & 0o777, replace: before.isFile() };
}

async function fill(path: string, flag: string, mode: number, pieces: Pieces): Promise<void> {
  const handle = await open(path, flag, mode);
  try {
    for await (const piece of pieces) await handle.writeFile(piece);
  } finally {
    await handle.close();
  }
}

function isOfTheSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}
