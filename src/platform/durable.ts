import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Creates the folder and its parents, readable by the owner only, and syncs them so that they survive a power loss. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(path); ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === resolve(first)) return;
  }
}

/** Errors of systems on which folders cannot be opened or synced. */
const notHere = ['EISDIR', 'EACCES', 'EPERM', 'EINVAL', 'EBADF', 'ENOTSUP'];

/**
 * Syncs the directory entries of a folder. Syncing a file saves its contents but not its name: after a power loss a
 * rename may be undone.
 */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!notHere.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
