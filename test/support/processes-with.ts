import { readdirSync, readFileSync } from 'node:fs';

/** Processes of this machine with this word in their command line, in whatever namespace. */
export function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return Number(pid) > 0 && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
    } catch {
      return false;
    }
  });
}
