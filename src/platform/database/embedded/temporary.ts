import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketDirFor } from './cluster.ts';
import { pointerName } from './home.ts';

/**
 * Runs `work` with a temporary data directory, which is removed with its database afterwards, also when the process
 * exits, as after Ctrl-C. `work` has to close the database itself.
 */
export async function inTemporaryDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  // Until the work installs its own signal handlers.
  const end = (): void => process.exit(130);
  process.on('SIGINT', end).on('SIGTERM', end);
  const dataDir = mkdtempSync(join(tmpdir(), 'drydock-run-'));
  const remove = (): void => removeAll(dataDir);
  process.once('exit', remove);
  try {
    const working = work(dataDir);
    process.off('SIGINT', end).off('SIGTERM', end);
    return await working;
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/**
 * The files are outside of the directory if the database's account cannot enter it, and the socket is if its path is
 * too long.
 */
function removeAll(dataDir: string): void {
  const home = homeOf(dataDir);
  for (const path of [socketDirFor(home), home, dataDir])
    rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
}

function homeOf(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, pointerName), 'utf8').trim();
  } catch {
    return join(dataDir, 'postgres');
  }
}
