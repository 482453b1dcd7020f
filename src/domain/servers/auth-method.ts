import type { LiveServerRow, ServerSettings } from '../../platform/database/queries/servers.ts';

export type AuthMethod = 'oauth' | 'xaa' | 'bearer' | 'none' | 'discover';

const explicit = new Set<string>(['oauth', 'xaa', 'bearer', 'none', 'discover']);

/** How calls to a server are authorized: by the chosen method, otherwise by the older flags. */
export function authMethodOf(settings: ServerSettings): AuthMethod {
  const { authMethod, useOAuth, useXaa, xaaAuthzIssuer } = settings;
  if (authMethod !== undefined && explicit.has(authMethod)) return authMethod as AuthMethod;
  if (authMethod === 'auto') return useXaa || xaaAuthzIssuer !== undefined ? 'xaa' : 'discover';
  if (useOAuth) return 'oauth';
  if (useXaa) return 'xaa';
  return hasAuthorizationHeader(settings) ? 'bearer' : 'none';
}

export function hasAuthorizationHeader({ headerNames }: ServerSettings): boolean {
  return headerNames.some((name) => name.toLowerCase() === 'authorization');
}

/** The server's OAuth grant, if its tokens may be sent to the current URL. */
export function usableGrant(server: LiveServerRow): string | undefined {
  const method = authMethodOf(server.settings);
  const chosenOtherwise =
    server.settings.authMethod !== undefined && (method === 'none' || method === 'bearer');
  const usable =
    server.grantId !== null && server.grantUrl === server.url && !server.grantDead && !chosenOtherwise;
  return usable ? (server.grantId as string) : undefined;
}

/** Whether the server uses OAuth or XAA and has no usable grant. A call may still bring its own access token. */
export function lacksGrant(server: LiveServerRow): boolean {
  const method = authMethodOf(server.settings);
  return (method === 'oauth' || method === 'xaa') && usableGrant(server) === undefined;
}
