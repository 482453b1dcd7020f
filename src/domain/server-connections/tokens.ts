import { importOAuthTokens } from '../../contract/oauth.ts';
import { retryServerConnectionValidation } from '../../contract/server-connections.ts';
import type { McpFailure } from '../../mcp/failures.ts';
import type { ConnectionRow } from '../../platform/database/queries/server-connections.ts';

type Place = Pick<ConnectionRow, 'id' | 'projectId' | 'serverId'>;

/** The next step for the caller while a request waits for tokens. */
export function tokensNeeded(place: Place): NonNullable<ConnectionRow['error']> {
  const message = `The server requires OAuth. Complete it, then send the tokens to ${importPath(place)}. This request then continues automatically.`;
  return { code: 'OAUTH_REQUIRED', message, retryable: true };
}

/** The next step when the server rejects the tokens. */
export function tokensRefused(place: Place, { message }: McpFailure): string {
  const again = filled(retryServerConnectionValidation, { connectionRequestId: place.id });
  return `${message}. Complete OAuth again, send the new tokens to ${importPath(place)}, then try again with ${again}.`;
}

function importPath({ projectId, serverId }: Place): string {
  return filled(importOAuthTokens, { projectId: projectId ?? '', serverId: serverId ?? '' });
}

function filled({ method, path }: { method: string; path: string }, ids: Record<string, string>): string {
  return `${method} ${path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')}`;
}
