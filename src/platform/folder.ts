import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodeUnit } from './canonical.ts';
import { OperatorProblem } from './problem.ts';

/** File contents by relative path, with forward slashes, sorted by path. */
export type Files = ReadonlyMap<string, Buffer>;

export interface FolderBounds {
  /** Limits files and folders alike, because empty folders take time too. */
  files: number;
  bytes: number;
}

const maxDepth = 16;

/** Entries that tools create and that are not part of the content. */
const leftBehind = new Set(['.git', '.DS_Store']);

/** Reads a folder within limits. Links are refused, because they could lead to any file of this machine. */
export async function readFolder(folder: string, bounds: FolderBounds): Promise<Files> {
  const paths = await walk(folder, bounds.files);
  const files = new Map<string, Buffer>();
  let left = bounds.bytes;
  for (const path of paths) {
    // Checks the size first, so that an oversized file is not read.
    left -= (await lstat(join(folder, path))).size;
    if (left < 0) throw new OperatorProblem(`${folder} contains more than ${bounds.bytes} bytes`);
    files.set(path, await readFile(join(folder, path)));
  }
  return files;
}

async function walk(root: string, most: number): Promise<string[]> {
  const found: string[] = [];
  const folders = [''];
  let entered = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(root, folder)) {
      if (leftBehind.has(entry.name)) continue;
      const path = folder + entry.name;
      if (!isUsableName(entry.name))
        throw new OperatorProblem(`${root} contains a file with an invalid name: ${JSON.stringify(path)}`);
      if (entry.isFile()) found.push(path);
      else if (!entry.isDirectory())
        throw new OperatorProblem(
          `${path} in ${root} is a link or a device; only regular files are accepted`,
        );
      else if (path.split('/').length > maxDepth)
        throw new OperatorProblem(`${root} is nested deeper than ${maxDepth} folders`);
      else {
        folders.push(`${path}/`);
        entered++;
      }
      if (found.length > most) throw new OperatorProblem(`${root} contains more than ${most} files`);
      if (entered > most) throw new OperatorProblem(`${root} contains more than ${most} folders`);
    }
  }
  return found.sort(byCodeUnit);
}

/** Whether a name can be stored and means the same on every machine. */
export function isUsableName(name: string): boolean {
  return /^[^\p{Cc}\\\u{fffd}]+$/u.test(name);
}

function entriesOf(root: string, folder: string) {
  return readdir(join(root, folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorProblem(`The folder ${join(root, folder)} cannot be read (${error.code})`);
  });
}

/** `sha256:` and a digest of all paths and contents, independent of their order and unambiguous for any names. */
export function hashOf(files: Iterable<readonly [path: string, content: Buffer | string]>): string {
  const hash = createHash('sha256');
  for (const [path, content] of [...files].sort(([a], [b]) => byCodeUnit(a, b))) {
    const bytes = Buffer.from(content);
    hash.update(`${JSON.stringify(path)} ${bytes.length}\n`).update(bytes);
  }
  return `sha256:${hash.digest('hex')}`;
}
