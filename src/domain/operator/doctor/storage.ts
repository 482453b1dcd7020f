import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openBlobs } from '../../../platform/blobs/open.ts';
import type { Config } from '../../../platform/config/settings.ts';
import { newId } from '../../../platform/ids.ts';
import { type Check, type DoctorFinding, ok, problem, warning } from './check.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

export function storageChecks(config: Config): Check[] {
  return [
    { name: 'blobs', run: () => blobs(config) },
    { name: 'disk', run: () => disk(config) },
    { name: 'memory', run: memory },
  ];
}

/** The blob folder; undefined for a bucket. */
function blobFolder({ blobsUrl, dataDir }: Config): string | undefined {
  if (blobsUrl === undefined) return join(dataDir, 'blobs');
  return blobsUrl.startsWith('file:') ? fileURLToPath(blobsUrl) : undefined;
}

/** Writes, reads and removes a test object. A missing folder is fine: it is created with the first artifact. */
async function blobs(config: Config): Promise<DoctorFinding> {
  const folder = blobFolder(config);
  const where = folder ?? config.blobsUrl;
  if (folder !== undefined && !existsSync(folder))
    return ok(`${folder} is created when the first artifact is stored`);
  const store = openBlobs(config);
  const id = newId('doctor').toLowerCase();
  const content = Buffer.from(`probe ${id}`);
  const started = performance.now();
  try {
    await store.put(id, chunks(content), content.length);
    const read = await buffer(store.read(id));
    await store.remove(id);
    if (!read.equals(content))
      return problem(
        `${where} returns different bytes than were written`,
        'Check the storage; artifacts may be corrupted',
      );
  } catch (error) {
    await store.remove(id).catch(() => {});
    const { code, name } = error as NodeJS.ErrnoException;
    return problem(
      `Could not write, read and delete a test object in ${where}: ${code ?? name}`,
      folder === undefined
        ? 'Check DRYDOCK_BLOBS_URL, the AWS_… credentials and their permissions on the bucket'
        : 'Give the user of the service write access',
    );
  }
  return ok(`Written, read and removed in ${where} in ${(performance.now() - started).toFixed(0)} ms`);
}

async function* chunks(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

async function disk(config: Config): Promise<DoctorFinding> {
  const folder = blobFolder(config);
  const places = new Set([config.dataDir, ...(folder === undefined ? [] : [folder])].map(existing));
  const found = await Promise.all([...places].map(spaceAt));
  const said = found.map(({ path, free, share }) => `${bytes(free)} (${share.toFixed(0)}%) free at ${path}`);
  const least = Math.min(...found.map(({ free }) => free));
  const leastShare = Math.min(...found.map(({ share }) => share));
  const remedy = 'Free up space, or move DRYDOCK_DATA_DIR or DRYDOCK_BLOBS_URL to a larger disk';
  if (least < 256 * mebibyte) return problem(said.join(', '), remedy);
  if (least < 2 * gibibyte || leastShare < 5) return warning(said.join(', '), remedy);
  return ok(said.join(', '));
}

/** The folder, or its nearest existing ancestor. */
function existing(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : existing(dirname(path));
}

async function spaceAt(path: string): Promise<{ path: string; free: number; share: number }> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { path, free: bavail * bsize, share: (100 * bavail) / Math.max(1, blocks) };
}

/**
 * Warns if the memory available to this process (the container's limit, otherwise the machine's memory) is below
 * 512 MiB.
 */
async function memory(): Promise<DoctorFinding> {
  const limits = await Promise.all(
    ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'].map(async (path) =>
      Number(await readFile(path, 'utf8').catch(() => 'NaN')),
    ),
  );
  const limit = limits.find((each) => each > 0 && each < totalmem());
  const available = limit ?? totalmem();
  const said = `${bytes(available)}${limit === undefined ? ', no container limit' : ' (container limit)'}`;
  if (available < 512 * mebibyte)
    return warning(said, 'Provide 1 GiB, plus 200 MiB for each concurrent browser session');
  return ok(said);
}

function bytes(count: number): string {
  return count >= gibibyte ? `${(count / gibibyte).toFixed(1)} GiB` : `${(count / mebibyte).toFixed(0)} MiB`;
}
