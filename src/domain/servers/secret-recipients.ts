import type { ServerRow } from '../../platform/database/queries/servers.ts';
import type { ServerSecrets } from '../base/server-secrets.ts';

type SecretName = keyof ServerSecrets;
export const secretNames = ['headers', 'env', 'clientSecret'] as const;
type Place = Pick<ServerRow, 'transportType' | 'url' | 'settings'>;

/**
 * Where each stored secret is sent, as a string to compare: the URL's origin, or the command with its arguments. A
 * client secret also goes to an authorization server, determined by URL, resource and issuer. An editor of a server
 * must not be able to redirect its secrets.
 */
function recipientsOf({ transportType, url, settings }: Place): Record<SecretName, string> {
  const { command, args = [], oauthResourceUrl, xaaAuthzIssuer = null } = settings;
  const place = transportType === 'http' ? [originOf(url)] : [command, ...args];
  const caller = JSON.stringify([transportType, ...place]);
  const resource = originOf(oauthResourceUrl ?? url);
  return { headers: caller, env: caller, clientSecret: JSON.stringify([caller, resource, xaaAuthzIssuer]) };
}

/** All tunnels share one origin, but each leads to another machine. */
function originOf(url: string | null): string | null {
  if (url === null) return null;
  const { origin, pathname } = new URL(url);
  return `${origin}${/^\/tunnels\/[^/]*/.exec(pathname)?.[0] ?? ''}`;
}

/** The stored secrets an edit would send to another recipient, in API order. */
export function misdirectedSecrets(before: Place, after: Place, stored: ServerSecrets): SecretName[] {
  const [then, now] = [recipientsOf(before), recipientsOf(after)];
  return secretNames.filter((name) => then[name] !== now[name] && Object.keys(stored[name] ?? {}).length > 0);
}
