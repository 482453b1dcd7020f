import { readFileSync } from 'node:fs';

/**
 * Signals the processes inside the namespaces, but not the two bwrap processes above them, because killing those kills
 * everything inside at once. Returns false if none were found.
 */
export function signalInside(pid: number, signal: NodeJS.Signals): boolean {
  const inside = childrenOf(pid).flatMap(childrenOf);
  const reached = inside.filter((one) => {
    try {
      return process.kill(one, signal);
    } catch {
      return false;
    }
  });
  return reached.length > 0;
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
