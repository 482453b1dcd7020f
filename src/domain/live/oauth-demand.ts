import * as authorization from '../../platform/database/queries/server-authorization.ts';
import type { LiveServerRow } from '../../platform/database/queries/servers.ts';
import type { Services } from '../context.ts';

/**
 * Remembers whether a call with what is stored ended with the server asking for OAuth, so that `check-oauth` can tell
 * without contacting it. Written only when it changes. A call with a token of the caller's own says nothing about what
 * is stored, and an answer is not lost because it could not be remembered.
 */
export async function noteOAuthDemand(
  { db, log }: Pick<Services, 'db' | 'log'>,
  server: LiveServerRow,
  { oauthAccessToken }: { oauthAccessToken?: string | undefined },
  demanded: boolean,
): Promise<void> {
  if (oauthAccessToken !== undefined || server.oauthDemanded === demanded) return;
  await db
    .run(authorization.demand, { ...server, demanded })
    .catch((error: unknown) =>
      log.error('What a server asked for could not be remembered', { serverId: server.id }, error),
    );
}
