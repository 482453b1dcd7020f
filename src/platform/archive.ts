import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { byCodeUnit } from './canonical.ts';
import { type Files, type FolderBounds, isUsableName, readFolder } from './folder.ts';
import { OperatorProblem } from './problem.ts';

/** Reads the files of a folder, or of a .tar.gz. */
export async function readBundle(path: string, bounds: FolderBounds): Promise<Files> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorProblem(`${path} cannot be read (${error.code})`);
  });
  return found.isDirectory() ? readFolder(path, bounds) : readArchive(path, bounds);
}

/** Reads entries into memory only, so that names with `..` or links cannot point outside of the archive. */
async function readArchive(path: string, bounds: FolderBounds): Promise<Files> {
  const files = new Map<string, Buffer>();
  const tar = extract();
  const unpacked = pipeline(createReadStream(path), createGunzip(), tar);
  // Awaited below; until then the loop reports the error first.
  unpacked.catch(() => {});
  let left = bounds.bytes;
  const entries = { files: 0, folders: 0 };
  try {
    for await (const entry of tar) {
      const { name, type, size } = entry.header;
      // Counts every entry, so that repeated names count too.
      const kind = type === 'directory' ? 'folders' : 'files';
      if (++entries[kind] > bounds.files)
        throw new OperatorProblem(`${path} contains more than ${bounds.files} ${kind}`);
      if (kind === 'folders') {
        entry.resume();
        continue;
      }
      if (type !== 'file')
        throw new OperatorProblem(
          `${name} in ${path} is a link or a device; only regular files are accepted`,
        );
      left -= size;
      if (left < 0) throw new OperatorProblem(`${path} contains more than ${bounds.bytes} bytes`);
      // A readable stream, whose types lack the async iterator.
      files.set(plainPath(name, path), await contentOf(entry as unknown as AsyncIterable<Buffer>));
    }
    await unpacked;
  } catch (error) {
    tar.destroy();
    if (error instanceof OperatorProblem) throw error;
    throw new OperatorProblem(`${path} is not a .tar.gz archive`);
  }
  return withoutTop(files);
}

async function contentOf(entry: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function plainPath(name: string, archive: string): string {
  const parts = name.split('/').filter((part) => part !== '.' && part !== '');
  if (name.startsWith('/') || parts.length === 0 || parts.includes('..') || !parts.every(isUsableName))
    throw new OperatorProblem(`${archive} contains a file with an invalid name: ${JSON.stringify(name)}`);
  return parts.join('/');
}

/** Removes the single top folder that most archives have. */
function withoutTop(files: Map<string, Buffer>): Files {
  const tops = new Set([...files.keys()].map((path) => path.slice(0, path.indexOf('/') + 1)));
  const [top] = tops;
  const entries = [...files].sort(([a], [b]) => byCodeUnit(a, b));
  if (tops.size !== 1 || !top) return new Map(entries);
  return new Map(entries.map(([path, content]) => [path.slice(top.length), content]));
}
