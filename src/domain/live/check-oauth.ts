import type { Verb } from '../context/verb.ts';
import { authMethodOf, lacksGrant, usableGrant } from '../servers/auth-method.ts';

export const checkOAuth: Verb<'checkOAuth'> = ({ server }) => {
  const hasTokens = usableGrant(server) !== undefined;
  return {
    useOAuth: server.settings.useOAuth ?? false,
    requiresAuthorization: server.transportType === 'http' && (lacksGrant(server) || server.oauthDemanded),
    effectiveAuthMethod: hasTokens ? 'oauth' : authMethodOf(server.settings),
    serverUrl: server.url,
    hasTokens,
    tokensExpireAt: hasTokens ? server.grantExpiresAt : null,
  };
};
