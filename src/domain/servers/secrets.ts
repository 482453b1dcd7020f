import type { Db } from '../../platform/database/database.ts';
import type { ServerRow, ServerSettings } from '../../platform/database/queries/servers.ts';
import type { ProjectContext, Services } from '../context.ts';

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
  context: ProjectContext,
  db: Db,
  secrets: ServerSecrets,
): Promise<string | null> {
  if (Object.keys(secrets).length === 0) return null;
  const owner = { organizationId: context.actor.organization.id, projectId: context.project.id };
  return context.vault.seal(db, owner, secrets);
}

/** That a value exists may be shown; the value may not. */
export function traces(
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
