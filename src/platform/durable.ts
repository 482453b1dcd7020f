import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes the folder, and those above it, for the owner only. They are there after a power loss too. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(path); ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === resolve(first)) return;
  }
}

/** What the system answers where folders cannot be opened or synced. */
const notHere = ['EISDIR', 'EACCES', 'EPERM', 'EINVAL', 'EBADF', 'ENOTSUP'];

/**
 * Writes the names in a folder to disk. Syncing a file saves what is in it, but not that it has this name: after a power
 * loss a renamed file may be gone, or the one before it back.
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
