import { randomBytes } from 'node:crypto';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperatorProblem } from '../../platform/problem.ts';

type Pieces = AsyncIterable<Uint8Array> | readonly string[];

/**
 * Writes a file of which there is all or nothing: the one before stays until the new one is complete. A link stays a
 * link, and what is no file, like `/dev/null` or a pipe, is written to as it is.
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

/** Whoever may not read the file before may not read the new one either. */
async function found(path: string): Promise<Found> {
  if (path === '') throw new OperatorProblem('The name of the file to write is empty');
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
