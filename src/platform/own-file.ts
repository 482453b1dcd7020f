import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * The text of a file that only its owner can have written, and the owner is whoever runs this; otherwise nothing. In a
 * folder that others may write to, a file could name a service of theirs.
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
