import { readFileSync } from 'node:fs';

/**
 * Signals what was started inside namespaces. The two processes of bwrap above it are left out: the signal would end
 * them, and with them everything inside at once. False when nothing was found.
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
