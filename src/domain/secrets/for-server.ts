import { problemOfVariable } from '../../contract/variables.ts';
import type { ServerRow } from '../../platform/database/queries/servers.ts';
import type { DeliveredSecret } from './deliver.ts';

/** A secret that cannot be delivered as its owner configured. */
export class UndeliverableSecret extends Error {}

interface BroughtSecrets {
  headers: Record<string, string>;
  env: Record<string, string>;
  /** Names of personal secrets the command does not declare. */
  withheld: string[];
}

/**
 * Maps the secrets of a run to one server: a header if the secret is bound to the server's host, an environment
 * variable for a command. Secrets bound to another host are never sent. Shared secrets may set any variable, since an
 * administrator wrote them, as one saved the command. Personal secrets may set only variables the saved command
 * declares: others could redirect its stored credentials. On conflict the personal secret wins.
 */
export function secretsForServer(
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
    `The secret ${name} cannot be sent in a header: it contains a line break or another character that headers cannot carry`,
  );
}

/** Checked here again: a brokered secret may have been changed to a variable. */
function variable(name: string): string {
  const problem = problemOfVariable(name);
  if (problem !== undefined) throw new UndeliverableSecret(`The secret ${problem}`);
  return name;
}
