import type { Db } from '../../platform/database/database.ts';
import type { ServerRow, ServerSettings } from '../../platform/database/queries/servers.ts';
import type { Vault } from '../../platform/secrets/vault.ts';

/** The encrypted parts of a server. */
export interface ServerSecrets {
  headers?: Record<string, string>;
  env?: Record<string, string>;
  clientSecret?: string;
}

export async function openSecrets(
  { vault }: { vault: Vault },
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

/** Names without values: that a secret exists is not confidential. */
export function namesOfSecrets(
  secrets: ServerSecrets,
): Pick<ServerSettings, 'headerNames' | 'envNames' | 'hasClientSecret'> {
  return {
    headerNames: Object.keys(secrets.headers ?? {}).sort(),
    envNames: Object.keys(secrets.env ?? {}).sort(),
    hasClientSecret: secrets.clientSecret !== undefined,
  };
}

/** Drops undefined fields. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };
