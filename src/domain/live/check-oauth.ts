import { noSuchServer } from '../servers/rules.ts';
import type { Verb } from '../verbs.ts';
import { authMethodOf, lacksGrant } from './auth-method.ts';

export const checkOAuth: Verb<'checkOAuth'> = (context, { serverId }) => {
  const { server } = context.actor.path;
  if (server?.id !== serverId) throw noSuchServer();
  return {
    useOAuth: server.settings.useOAuth ?? false,
    requiresAuthorization: lacksGrant(server),
    effectiveAuthMethod: authMethodOf(server.settings),
    serverUrl: server.url,
  };
};
