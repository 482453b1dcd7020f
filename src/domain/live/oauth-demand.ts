import * as authorization from '../../platform/database/queries/server-authorization.ts';
import type { LiveServerRow } from '../../platform/database/queries/servers.ts';
import type { Services } from '../context/context.ts';

/**
 * Records whether a call with the stored credentials ended in a demand for OAuth, so that `check-oauth` can answer
 * without contacting the server. Written only on change. Calls with a caller's own token are ignored, and a failure
 * to record does not fail the call.
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
      log.error('OAuth demand of a server could not be stored', { serverId: server.id }, error),
    );
}
