import { Refusal } from '../../contract/errors.ts';
import { refusalOfUrl } from '../../mcp/address-guard.ts';
import { addressPolicy, stdioAllowed } from '../../platform/config/load.ts';
import { type Db, violates } from '../../platform/database/database.ts';
import { pluginNameOf } from '../../platform/database/queries/plugins.ts';
import type { ServerRow } from '../../platform/database/queries/servers.ts';
import type { Services } from '../context.ts';
import { nameTaken } from '../names.ts';

export const stdioRefused =
  'stdio servers run commands on the machine of this service, which is reachable from outside. The operator can allow them with DRYDOCK_ALLOW_STDIO=true';

/** A stdio server runs a command on the operator's machine, so an exposed service refuses it. */
export function checkTransport(context: Pick<Services, 'config'>, transportType: 'http' | 'stdio'): void {
  if (transportType === 'stdio' && !stdioAllowed(context.config))
    throw new Refusal('FORBIDDEN', stdioRefused);
}

/** An address that would be refused at every call is refused when it is saved; names are looked up only then. */
export function checkAddress(context: Pick<Services, 'config'>, url: string | null, field = 'url'): void {
  const problem = url === null ? undefined : refusalOfUrl(url, addressPolicy(context.config));
  if (problem !== undefined)
    throw new Refusal('VALIDATION_ERROR', `${field}: ${problem}`, { details: { code: 'URL_NOT_ALLOWED' } });
}

/** The database decides whether a name is taken, so that two callers cannot both win. */
export function refuseTakenName(name: string): (error: unknown) => never {
  return (error) => {
    if (violates(error, 'servers_name')) throw nameTaken('server', name, '; case does not tell names apart');
    throw error;
  };
}

/** What a plugin brought changes with the plugin, so that a version stays what it was. */
export async function refuseManaged(db: Db, server: ServerRow): Promise<void> {
  if (server.pluginVersionId === null) return;
  const plugin = await pluginNameOf(db, server.pluginVersionId);
  throw new Refusal('CONFLICT', `This server belongs to the plugin ${plugin}; change the plugin`, {
    details: { reason: 'PLUGIN_MANAGED', plugin },
  });
}

export function noSuchServer(): Refusal {
  return new Refusal('NOT_FOUND', 'No such server in this project');
}
