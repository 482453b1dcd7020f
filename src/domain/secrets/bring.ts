import type { Brought } from '../live/reach.ts';
import type { DeliveredSecret } from './deliver.ts';

/** A secret that cannot be delivered as its owner said. */
export class UndeliverableSecret extends Error {}

/**
 * What the secrets of a run come to at one server: a header where the secret is bound to the host of the server, an
 * environment variable for a command. A server gets nothing that is bound to another host.
 */
export function broughtTo(
  server: { transportType: 'http' | 'stdio'; url: string | null },
  secrets: readonly DeliveredSecret[],
): Pick<Brought, 'headers' | 'env'> {
  const headers: Record<string, string> = {};
  const env: Record<string, string> = {};
  const host = server.url === null ? undefined : new URL(server.url).hostname;
  for (const { name, value, broker } of secrets) {
    if (!broker) {
      if (server.transportType === 'stdio') env[name] = value;
    } else if (host !== undefined && broker.hosts.includes(host)) {
      if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
        throw new UndeliverableSecret(
          `The secret ${name} cannot be sent in a header: it holds a line break or another character that headers cannot carry`,
        );
      headers[broker.header] = broker.template.replace('{}', () => value);
    }
  }
  return { headers, env };
}
