import { existsSync, readFileSync } from 'node:fs';

/** The data directory here, read without the machinery that checks every setting. */
export function dataDirHere(env: NodeJS.ProcessEnv = process.env): string {
  return namedDataDir(env) || '.drydock';
}

/** Whether the settings name it, so that it is not just the usual one. */
export function isDataDirNamed(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(namedDataDir(env));
}

function namedDataDir(env: NodeJS.ProcessEnv): string | undefined {
  return (
    env['DRYDOCK_DATA_DIR'] || dataDirInFile(env['DRYDOCK_CONFIG_FILE'] || 'drydock.config.json') || undefined
  );
}

function dataDirInFile(path: string): string | undefined {
  try {
    const { dataDir } = JSON.parse(readFileSync(path, 'utf8')) as { dataDir?: unknown };
    return typeof dataDir === 'string' ? dataDir : undefined;
  } catch {
    // Whoever opens the installation is told what is wrong with the file.
    return undefined;
  }
}

/** Whether there is an installation to open, running or not. */
export function isInstalledHere(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env['DRYDOCK_DATABASE_URL']) || existsSync(dataDirHere(env));
}
