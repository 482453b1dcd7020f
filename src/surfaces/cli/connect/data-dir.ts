import { existsSync, readFileSync } from 'node:fs';

/** The data directory, read without loading and validating all settings. */
export function dataDirHere(env: NodeJS.ProcessEnv = process.env): string {
  return namedDataDir(env) || '.drydock';
}

/** Whether the settings name a data directory, rather than the default being used. */
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
    // Opening the installation reports the invalid file.
    return undefined;
  }
}

export function isInstalledHere(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env['DRYDOCK_DATABASE_URL']) || existsSync(dataDirHere(env));
}
