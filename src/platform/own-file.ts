import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * The text of a file that belongs to the current user and that no other user can write; otherwise empty. In a shared
 * folder, another user's file could name a service of theirs.
 */
export function readOwnFile(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { uid, mode } = fstatSync(file);
    if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0)) return '';
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
