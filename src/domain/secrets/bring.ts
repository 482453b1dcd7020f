import { problemOfVariable } from '../../contract/variables.ts';
import type { ServerRow } from '../../platform/database/queries/servers.ts';
import type { Brought } from '../live/reach.ts';
import type { DeliveredSecret } from './deliver.ts';

/** A secret that cannot be delivered as its owner said. */
export class UndeliverableSecret extends Error {}

interface BroughtSecrets extends Pick<Brought, 'headers' | 'env'> {
  /** Names of personal secrets that the command was not saved to take. */
  withheld: string[];
}

/**
 * What the secrets of a run come to at one server: a header where the secret is bound to the host of the server, an
 * environment variable for a command. A server gets nothing that is bound to another host. A shared secret, which an
 * administrator wrote as one saved the command, fills any variable. A personal one fills only names that whoever saved
 * the command declared: any other could lead what was saved with it elsewhere, whatever it is called. Where both fill the
 * same, the personal one counts.
 */
export function broughtTo(
  server: Pick<ServerRow, 'transportType' | 'url' | 'settings'>,
  secrets: readonly DeliveredSecret[],
): BroughtSecrets {
  const headers: Record<string, string> = {};
  const env: Record<string, string> = {};
  const withheld: string[] = [];
  const host = server.url === null ? undefined : new URL(server.url).hostname;
  const declared = server.settings.personalEnv ?? [];
  const sharedFirst = secrets.toSorted((a, b) => Number(a.personal) - Number(b.personal));
  for (const { name, value, personal, broker } of sharedFirst) {
    if (!broker) {
      if (server.transportType !== 'stdio') continue;
      if (personal && !declared.includes(name)) withheld.push(name);
      else env[variable(name)] = value;
    } else if (host !== undefined && broker.hosts.includes(host)) {
      const earlier = Object.keys(headers).find((one) => one.toLowerCase() === broker.header.toLowerCase());
      if (earlier !== undefined) delete headers[earlier];
      headers[broker.header] = broker.template.replace('{}', () => inHeader(name, value));
    }
  }
  return { headers, env, withheld };
}

function inHeader(name: string, value: string): string {
  if (!/[^\t\x20-\x7e\x80-\xff]/.test(value)) return value;
  throw new UndeliverableSecret(
    `The secret ${name} cannot be sent in a header: it holds a line break or another character that headers cannot carry`,
  );
}

/** Asked here too: a brokered secret may have become a variable. */
function variable(name: string): string {
  const problem = problemOfVariable(name);
  if (problem !== undefined) throw new UndeliverableSecret(`The secret ${problem}`);
  return name;
}
