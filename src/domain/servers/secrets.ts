import type { Db } from '../../platform/database/database.ts';
import type { ServerRow, ServerSettings } from '../../platform/database/queries/servers.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Services } from '../context.ts';

/** The parts of a server that are stored encrypted. */
export interface ServerSecrets {
  headers?: Record<string, string>;
  env?: Record<string, string>;
  clientSecret?: string;
}

export async function openSecrets(
  { vault }: Pick<Services, 'vault'>,
  db: Db,
  server: ServerRow,
): Promise<ServerSecrets> {
  return server.sealedId === null ? {} : ((await vault.open(db, server.sealedId)) as ServerSecrets);
}

export async function sealSecrets(
  vault: Vault,
  db: Db,
  owner: { organizationId: string; projectId: string },
  secrets: ServerSecrets,
): Promise<string | null> {
  return Object.keys(secrets).length === 0 ? null : vault.seal(db, owner, secrets);
}

/** That a value exists may be shown; the value may not. */
export function namesOfSecrets(
  secrets: ServerSecrets,
): Pick<ServerSettings, 'headerNames' | 'envNames' | 'hasClientSecret'> {
  return {
    headerNames: Object.keys(secrets.headers ?? {}).sort(),
    envNames: Object.keys(secrets.env ?? {}).sort(),
    hasClientSecret: secrets.clientSecret !== undefined,
  };
}

/** Only what was given: a field left out is not a field set to undefined. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };
