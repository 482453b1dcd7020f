import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as plugins from '../../platform/database/queries/plugins.ts';
import type { ServerRow } from '../../platform/database/queries/servers.ts';
import { refusalOfUrl } from '../../platform/network/address-guard.ts';
import { conflict, refuseTaken } from '../base/refusals.ts';
import type { ProjectContext, Services } from '../context/context.ts';

type Rules = Pick<Services, 'trust' | 'db'>;

/** Refuses to save a stdio server if commands are not allowed here. */
export async function checkTransport({ trust, db }: Rules, transportType: 'http' | 'stdio'): Promise<void> {
  const problem = transportType === 'stdio' ? await trust.commandsRefused(db) : undefined;
  if (problem !== undefined) throw new Refusal('FORBIDDEN', problem);
}

/** A command runs on the service's machine, so only administrators may save one. Members can use it. */
export function requireCommandAdmin({ project }: ProjectContext): void {
  if (project.role !== 'admin')
    throw new Refusal(
      'FORBIDDEN',
      'A stdio server runs a command on the machine of this service. Only an administrator of the project can save or edit one',
    );
}

/** Refuses addresses that every call would refuse. Host names are resolved only at the call. */
export async function checkAddress({ trust, db }: Rules, url: string | null, field = 'url'): Promise<void> {
  const problem = url === null ? undefined : refusalOfUrl(url, await trust.addressPolicy(db));
  if (problem !== undefined)
    throw new Refusal('VALIDATION_ERROR', `${field}: ${problem}`, { details: { code: 'URL_NOT_ALLOWED' } });
}

export function refuseTakenName(name: string): (error: unknown) => never {
  return refuseTaken('server', name, 'servers_name', '. Names are case-insensitive');
}

/** Servers of a plugin change only with the plugin, so that a version stays immutable. */
export async function refuseManaged(db: Db, server: ServerRow): Promise<void> {
  if (server.pluginVersionId === null) return;
  const { name: plugin } = await db.one(plugins.nameOf, { versionId: server.pluginVersionId });
  throw conflict(`This server belongs to the plugin ${plugin}; change the plugin`, 'PLUGIN_MANAGED', {
    plugin,
  });
}
