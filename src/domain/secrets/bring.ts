import { problemOfVariable } from '../../contract/secrets.ts';
import type { Brought } from '../live/reach.ts';
import type { DeliveredSecret } from './deliver.ts';

/** A secret that cannot be delivered as its owner said. */
export class UndeliverableSecret extends Error {}

/**
 * What the secrets of a run come to at one server: a header where the secret is bound to the host of the server, an
 * environment variable for a command. A server gets nothing that is bound to another host. A secret that is shared takes
 * the place of a saved variable, by leave of an administrator; one of a member does not: it could lead what else was
 * saved with the command elsewhere.
 */
export function broughtTo(
  server: { transportType: 'http' | 'stdio'; url: string | null },
  secrets: readonly DeliveredSecret[],
): Pick<Brought, 'headers' | 'env' | 'spareEnv'> {
  const headers: Record<string, string> = {};
  const env: Record<string, string> = {};
  const spareEnv: Record<string, string> = {};
  const host = server.url === null ? undefined : new URL(server.url).hostname;
  for (const { name, value, personal, broker } of secrets) {
    if (!broker) {
      if (server.transportType === 'stdio') (personal ? spareEnv : env)[variable(name)] = value;
    } else if (host !== undefined && broker.hosts.includes(host)) {
      if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
        throw new UndeliverableSecret(
          `The secret ${name} cannot be sent in a header: it holds a line break or another character that headers cannot carry`,
        );
      headers[broker.header] = broker.template.replace('{}', () => value);
    }
  }
  return { headers, env, spareEnv };
}

/** Asked here too: a brokered secret may have become one. */
function variable(name: string): string {
  const problem = problemOfVariable(name);
  if (problem !== undefined) throw new UndeliverableSecret(`The secret ${problem}`);
  return name;
}
