import { existsSync } from 'node:fs';
import type { Config } from '../../../platform/config/settings.ts';
import * as doctor from '../../../platform/database/queries/doctor.ts';
import { keysFromEnvironment, keysFromFile, masterKeyPath } from '../../../platform/secrets/master-key.ts';
import { Vault } from '../../../platform/secrets/vault.ts';
import { type Check, type DoctorFinding, NotChecked, ok, problem, warning } from './check.ts';
import type { DatabaseToCheck } from './database.ts';

export function keyChecks(database: DatabaseToCheck, config: Config): Check[] {
  return [{ name: 'master key', run: () => masterKey(database, config) }];
}

/** Checks that the key exists, is private, and decrypts stored values. */
async function masterKey(
  database: DatabaseToCheck,
  { masterKey: given, dataDir }: Config,
): Promise<DoctorFinding> {
  const path = masterKeyPath(dataDir);
  const where = given === undefined ? path : 'DRYDOCK_MASTER_KEY';
  const sealed = await database
    .ask((db) => db.rows(doctor.sealedUnderEach))
    .catch((error: unknown) => {
      // Without a database or its tables, no stored values exist to decrypt.
      if (error instanceof NotChecked || (error as { code?: string }).code === '42P01') return undefined;
      throw error;
    });
  if (given === undefined && !existsSync(path) && (sealed ?? []).length === 0)
    return ok(`None yet: the first start creates ${path}`);
  // Refuses a missing or readable-by-others file, with the remedy.
  const source = given === undefined ? keysFromFile(path) : keysFromEnvironment(given);
  const ring = source.read();
  if (!sealed)
    return warning(`${where} is readable, but was not compared with the database`, 'Fix the database first');
  const vault = new Vault(source);
  for (const { keyId, id, ciphertext } of sealed) {
    if (!ring.some((key) => key.id === keyId))
      return problem(
        `${where} does not match: the database contains secrets sealed with key ${keyId}`,
        'Put the right master key back; without it those secrets are lost',
      );
    if (id !== null && ciphertext !== null && !opens(vault, { id, keyId, ciphertext }))
      return problem(
        `A stored secret under key ${keyId} cannot be decrypted`,
        'The row was changed outside of Drydock: restore a backup, or store the secret again',
      );
  }
  if (ring.length > 1)
    return warning(
      `${where} contains ${ring.length} keys: a key rotation is not finished`,
      'Run drydock secrets rotate-key again; see backup.md',
    );
  return ok(`${where} decrypts the secrets in the database`);
}

function opens(vault: Vault, row: Parameters<Vault['unseal']>[0]): boolean {
  try {
    vault.unseal(row);
    return true;
  } catch {
    return false;
  }
}
