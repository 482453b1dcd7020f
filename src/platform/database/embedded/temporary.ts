import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketDirFor } from './cluster.ts';
import { pointerName } from './home.ts';

/**
 * Works with a data directory of its own, and removes it with the database files afterwards. Whoever works there has to
 * close the database first; an exit of the process, as after Ctrl-C, removes the directory too.
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

/** Database files live outside the directory when we are root and its account cannot enter; a deep path has its socket elsewhere. */
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
