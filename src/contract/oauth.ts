import { z } from 'zod';
import { operation } from './operation.ts';
import { Time } from './paging.ts';
import { HttpUrl } from './servers.ts';

const Token = z
  .string()
  .min(1)
  .max(16384)
  .regex(/^[\x21-\x7e]+$/, 'Must be printable ASCII without spaces')
  .meta({ format: 'password' });

export const importOAuthTokens = operation({
  command: 'servers import-tokens',
  area: 'OAuth',
  summary: 'Import OAuth tokens',
  description:
    'Stores tokens that were obtained elsewhere. Later calls send the access token and refresh it before it expires or when the server rejects it. A new import replaces the stored tokens. Tokens are encrypted and never returned.',
  method: 'POST',
  path: '/projects/{projectId}/servers/{serverId}/oauth/import-tokens',
  body: z
    .strictObject({
      serverUrl: HttpUrl.describe('Tokens can only be imported for the URL of the saved server.'),
      oauthResourceUrl: HttpUrl.optional().describe('Resource indicator, if it differs from `serverUrl`.'),
      authorizationServerUrl: HttpUrl.optional().describe(
        'Issuer of the tokens. Default: discovered from the server. If you set it, refreshes use the client secret of `clientInformation`, never the one saved with the server.',
      ),
      clientInformation: z
        .strictObject({
          clientId: z.string().min(1).max(4096),
          clientSecret: z.string().min(1).max(16384).optional().meta({ format: 'password' }),
        })
        .optional()
        .describe(
          'Required for refreshes. Default: the client ID saved with the server, and also its client secret if `authorizationServerUrl` is not set.',
        ),
      tokens: z.looseObject({
        access_token: Token,
        refresh_token: Token.optional(),
        expires_in: z.number().min(0).max(1_000_000_000).optional(),
        token_type: z.string().max(100).optional(),
        scope: z.string().max(10_000).optional(),
        id_token: z.string().max(65536).optional().meta({ format: 'password' }),
      }),
    })
    .meta({ id: 'ImportTokensRequest' }),
  example: {
    serverUrl: 'https://weather.example.com/mcp',
    clientInformation: { clientId: 'my-client' },
    tokens: { access_token: 'an-access-token', refresh_token: 'a-refresh-token', expires_in: 3600 },
  },
  status: 200,
  response: z
    .object({ imported: z.literal(true), expiresAt: Time.nullable() })
    .meta({ id: 'ImportTokensResult' }),
  access: 'project member',
});
