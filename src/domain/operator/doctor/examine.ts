import type { Config } from '../../../platform/config/settings.ts';
import type { Log } from '../../../platform/log.ts';
import { type Found, ok, runChecks, warning } from './check.ts';
import { DatabaseToCheck, databaseChecks } from './database.ts';
import { exposureChecks } from './exposure.ts';
import { keyChecks } from './keys.ts';
import { partChecks } from './parts.ts';
import { storageChecks } from './storage.ts';

export interface Examined {
  config: Config;
  log: Log;
  /** Environment variables that look like settings but are unknown. */
  unknown: readonly string[];
}

/** Checks what an installation needs. A test object is written and removed again; a check that hangs times out. */
export async function examineInstallation({ config, log, unknown }: Examined): Promise<Found[]> {
  const database = new DatabaseToCheck(config);
  try {
    return await runChecks([
      { name: 'settings', run: async () => settings(unknown) },
      ...databaseChecks(database, config),
      ...keyChecks(database, config),
      ...storageChecks(config),
      ...exposureChecks(database, config),
      ...partChecks(database, config, log),
    ]);
  } finally {
    await database.close();
  }
}

function settings(unknown: readonly string[]) {
  if (unknown.length === 0) return ok('All names are known');
  return warning(`${unknown.join(', ')}: no such setting`, 'See drydock config for those there are');
}
