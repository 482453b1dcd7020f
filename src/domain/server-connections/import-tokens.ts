import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as grants from '../../platform/database/queries/grants.ts';
import * as authorization from '../../platform/database/queries/server-authorization.ts';
import * as connections from '../../platform/database/queries/server-connections.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { found } from '../base/refusals.ts';
import { ownerIn, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import type { GrantSecrets } from '../parts/oauth-grants.ts';
import { checkAddress } from '../servers/rules.ts';
import { enqueueAdvance } from './advance.ts';

type Body = Parameters<Verb<'importOAuthTokens'>>[1]['body'];

export const importOAuthTokens: Verb<'importOAuthTokens'> = async (context, { serverId, body }) => {
  const { tokens, clientInformation, serverUrl, oauthResourceUrl, authorizationServerUrl } = body;
  // The refresh token will be sent there, so the address policy must allow it.
  await checkAddress(context, authorizationServerUrl ?? null, 'authorizationServerUrl');
  const projectId = context.project.id;
  return writeInProject(context, async (db) => {
    const server = found(await db.row(servers.lock, { projectId, id: serverId }), 'server');
    if (server.transportType !== 'http' || server.url === null)
      throw new Refusal(
        'VALIDATION_ERROR',
        'A stdio server does not use OAuth tokens. Put secrets into its `env`',
      );
    if (new URL(serverUrl).href !== new URL(server.url).href)
      throw new Refusal(
        'VALIDATION_ERROR',
        'serverUrl: Tokens can only be imported for the saved URL of the server. Edit the server, or import tokens for the URL in details',
        { details: { serverUrl: server.url } },
      );
    const secrets: GrantSecrets = {
      accessToken: tokens.access_token,
      ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
      ...clientSecretOf(server, body),
    };
    const before = await db.row(grants.remove, { serverId });
    if (before) await context.vault.forget(db, before.sealedId);
    const expiresAt =
      tokens.expires_in === undefined ? null : context.clock() + Math.round(tokens.expires_in * 1000);
    await db.run(grants.insert, {
      id: newId('grant', context.clock()),
      serverId,
      projectId,
      sealedId: await context.vault.seal(db, ownerIn(context), secrets),
      serverUrl: server.url,
      resourceUrl: oauthResourceUrl ?? server.settings.oauthResourceUrl ?? null,
      authorizationServerUrl: authorizationServerUrl ?? null,
      clientId: clientInformation?.clientId ?? server.settings.clientId ?? null,
      scope: tokens.scope ?? null,
      expiresAt,
    });
    await db.run(authorization.forgetDemand, { serverId });
    await tryWaitingConnections(db, serverId);
    await audit(db, context, 'server.import-tokens', serverId);
    return { imported: true, expiresAt };
  });
};

/**
 * The client secret saved with the server is for the authorization server that the server itself names, so it is not
 * used with one that the caller names.
 */
function clientSecretOf(
  { settings }: servers.ServerRow,
  { clientInformation, authorizationServerUrl }: Body,
): Pick<GrantSecrets, 'clientSecret' | 'savedClientSecret'> {
  if (clientInformation?.clientSecret !== undefined) return { clientSecret: clientInformation.clientSecret };
  const usesSaved = !clientInformation && authorizationServerUrl === undefined && settings.hasClientSecret;
  return usesSaved ? { savedClientSecret: true } : {};
}

/** Retries connection requests that waited for these tokens. */
async function tryWaitingConnections(db: Db, serverId: string): Promise<void> {
  for (const row of await db.rows(connections.waiting, { serverId })) {
    await connections.change(db, row, { status: 'validating' });
    await enqueueAdvance(db, row);
  }
}
