import type { ServerRow } from '../../platform/database/queries/servers.ts';
import type { ServerSecrets } from './secrets.ts';

type SecretName = keyof ServerSecrets;
export const secretNames = ['headers', 'env', 'clientSecret'] as const;
type Place = Pick<ServerRow, 'transportType' | 'url' | 'settings'>;

/**
 * Who receives each stored value, as text that differs when the recipient does: the origin of the URL, or the command
 * with its arguments. A client secret goes to an authorization server besides, which the URL, the resource and the
 * issuer lead to. Whoever may edit a server must not be able to have its values sent to a place of their own.
 */
function recipientsOf({ transportType, url, settings }: Place): Record<SecretName, string> {
  const { command, args = [], oauthResourceUrl, xaaAuthzIssuer = null } = settings;
  const place = transportType === 'http' ? [originOf(url)] : [command, ...args];
  const caller = JSON.stringify([transportType, ...place]);
  const resource = originOf(oauthResourceUrl ?? url);
  return { headers: caller, env: caller, clientSecret: JSON.stringify([caller, resource, xaaAuthzIssuer]) };
}

/** Behind one origin there are many tunnels, each to a machine of its own. */
function originOf(url: string | null): string | null {
  if (url === null) return null;
  const { origin, pathname } = new URL(url);
  return `${origin}${/^\/tunnels\/[^/]*/.exec(pathname)?.[0] ?? ''}`;
}

/** The stored values that an edit would send to somebody else, in the order of the API. */
export function misdirectedSecrets(before: Place, after: Place, stored: ServerSecrets): SecretName[] {
  const [then, now] = [recipientsOf(before), recipientsOf(after)];
  return secretNames.filter((name) => then[name] !== now[name] && Object.keys(stored[name] ?? {}).length > 0);
}
