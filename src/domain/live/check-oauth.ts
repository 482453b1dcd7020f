import type { Verb } from '../verb.ts';
import { authMethodOf, lacksGrant } from './auth-method.ts';

export const checkOAuth: Verb<'checkOAuth'> = ({ server }) => ({
  useOAuth: server.settings.useOAuth ?? false,
  requiresAuthorization: lacksGrant(server),
  effectiveAuthMethod: authMethodOf(server.settings),
  serverUrl: server.url,
});
