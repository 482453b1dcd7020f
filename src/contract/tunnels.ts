import { z } from 'zod';
import { Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Tunnels',
  path: '/projects/{projectId}/tunnels',
  access: 'project member',
});

const TunnelGrant = z
  .object({
    serverId: z.string(),
    name: z.string(),
    existed: z.boolean().describe('Whether a saved server of this name was redirected to the tunnel.'),
    previousUrl: z.string().optional().describe('Previous URL of that server.'),
    previousTransportType: z.string().optional(),
    slug: z.string().describe('Part of the URL that identifies the tunnel.'),
    url: z.string().describe('New URL of the server. The parameter `k` is a secret and is not shown again.'),
    connectToken: z
      .string()
      .describe('Token of the tunnel client. Send it as `Authorization: Bearer` on the WebSocket.'),
    connectTokenExpiresAt: Time.optional().describe(
      'Expiry of the connect token. Connected clients stay connected.',
    ),
    relayWsUrl: z.string().describe('WebSocket URL for the tunnel client.'),
    secretVersion: z.number().int().optional().describe('Number of secrets this tunnel has had.'),
  })
  .meta({ id: 'TunnelGrant' });

const Tunnel = z
  .object({
    serverId: z.string(),
    name: z.string().describe('Name of the saved server.'),
    slug: z.string(),
    status: z
      .enum(['connected', 'waiting', 'closed'])
      .describe('`waiting`: no client is connected, so requests are refused.'),
    protocol: z.string().optional().describe('Protocol of the connected client.'),
    connectedAt: Time.optional(),
    disconnectedAt: Time.optional().describe('Time when the last client disconnected.'),
    connectTokenExpiresAt: Time.optional(),
    secretVersion: z.number().int(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Tunnel' });

export const listTunnels = operation({
  summary: "List a project's tunnels",
  description: 'Includes the connection status. In order of creation.',
  query: z.object(lookupPage),
  response: pageOf(Tunnel, 'TunnelPage'),
});

export const createTunnel = operation({
  summary: 'Create a tunnel',
  description:
    'Points the saved server of this name to a tunnel, and creates the server if it does not exist. Each call replaces the secret and the token: the previous URL stops working and the connected client is disconnected. `drydock tunnel` calls this operation and keeps the tunnel connected.',
  command: 'tunnels create',
  method: 'POST',
  body: z
    .object({ name: Name.max(128) })
    .meta({ id: 'TunnelCreateRequest', description: 'Name of the saved server.' }),
  example: { name: 'laptop' },
  status: 201,
  response: TunnelGrant,
  errors: ['CONFLICT'],
});

export const closeTunnel = operation({
  summary: 'Close a tunnel',
  description: 'Disconnects the client and deletes the secret. The saved server is kept.',
  command: 'tunnels close',
  method: 'POST',
  path: '/{serverId}/close',
  response: z.object({ serverId: z.string(), status: z.literal('closed') }).meta({ id: 'TunnelClosed' }),
});
