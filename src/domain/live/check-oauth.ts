import { findLiveServer } from '../../platform/database/queries/servers.ts';
import { noSuchServer } from '../servers/rules.ts';
import type { Verb } from '../verbs.ts';
import { authMethodOf, lacksGrant } from './auth-method.ts';

export const checkOAuth: Verb<'checkOAuth'> = async (context, { serverId }) => {
  const server = await findLiveServer(context.db, context.project.id, serverId);
  if (!server) throw noSuchServer();
  return {
    useOAuth: server.settings.useOAuth ?? false,
    requiresAuthorization: lacksGrant(server),
    effectiveAuthMethod: authMethodOf(server.settings),
    serverUrl: server.url,
  };
};
