import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/settings.ts';
import { makeFolder } from '../durable.ts';
import { OperatorProblem } from '../problem.ts';
import { type KeyRing, keysFromEnvironment, keysFromFile, masterKeyPath } from '../secrets/master-key.ts';

/** The master keys in use, in the format of a key file. Throws if a needed one is missing. */
export function keyText(config: Config, needed: readonly string[]): string {
  const ring = keysInUse(config);
  const [missing] = without(ring, needed);
  // A key rotation may have ended since the snapshot.
  if (missing !== undefined)
    throw new OperatorProblem(
      `The master key does not match the database (its secrets are sealed with key ${missing}). If it was rotated just now, run this again`,
    );
  return `${ring.map((key) => key.bytes.toString('hex')).join('\n')}\n`;
}

function keysInUse(config: Config): KeyRing {
  const source =
    config.masterKey === undefined
      ? keysFromFile(masterKeyPath(config.dataDir))
      : keysFromEnvironment(config.masterKey);
  return source.read();
}

export interface KeyPlan {
  /** Writes the key of the archive to the data directory. */
  place(): Promise<void>;
  /** Printed after a restore whose secrets cannot be decrypted yet. */
  warning: string | undefined;
}

/** Refuses a restore after which the service could not start. */
export function planKeys(config: Config, needed: readonly string[], packed: KeyRing | undefined): KeyPlan {
  const nothing = { place: async () => {}, warning: undefined };
  const path = resolve(masterKeyPath(config.dataDir));
  if (config.masterKey !== undefined || existsSync(path)) {
    const [missing] = without(keysInUse(config), needed);
    if (missing === undefined) return nothing;
    throw new OperatorProblem(
      config.masterKey === undefined
        ? `${path} is not the key the backup was sealed with (key ${missing}). Put that key there, or set DRYDOCK_DATA_DIR to a new folder`
        : `DRYDOCK_MASTER_KEY is not the key the backup was sealed with (key ${missing}). Set it to that key, or unset it`,
    );
  }
  if (packed) {
    const [missing] = without(packed, needed);
    if (missing !== undefined)
      throw new OperatorProblem(
        `The master key in the backup is not the one its secrets were sealed with (key ${missing})`,
      );
    return {
      place: async () => {
        try {
          await makeFolder(config.dataDir);
          await keysFromFile(path).write?.(packed);
        } catch (error) {
          throw new OperatorProblem(`Cannot write ${path}: ${(error as Error).message}`);
        }
      },
      warning: undefined,
    };
  }
  if (needed.length === 0) return nothing;
  return {
    ...nothing,
    warning: `The stored secrets need master key ${needed.join(', ')}. Before starting the service, write it to ${path} or set DRYDOCK_MASTER_KEY`,
  };
}

function without(ring: KeyRing, needed: readonly string[]): string[] {
  return needed.filter((id) => !ring.some((key) => key.id === id));
}
