import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import { Name } from './text.ts';

const operation = operationsIn({
  area: 'Tunnels',
  path: '/projects/{projectId}/tunnels',
  access: 'project member',
});

const TunnelGrant = z
  .object({
    serverId: z.string(),
    name: z.string(),
    existed: z.boolean().describe('A server of this name was saved already, and leads to the tunnel now.'),
    previousUrl: z.string().optional().describe('Where that server was until now.'),
    previousTransportType: z.string().optional(),
    slug: z.string().describe('Names the tunnel in its address.'),
    url: z
      .string()
      .describe('Where the server is reached from now on. Its `k` is a secret and is not shown again.'),
    connectToken: z
      .string()
      .describe('Lets one client hold the tunnel open: `Authorization: Bearer` on the WebSocket.'),
    connectTokenExpiresAt: Time.optional().describe('A client that is connected by then stays connected.'),
    relayWsUrl: z.string().describe('Where that client connects.'),
    secretVersion: z.number().int().optional().describe('Counts the secrets this tunnel has had.'),
  })
  .meta({ id: 'TunnelGrant' });

const Tunnel = z
  .object({
    serverId: z.string(),
    name: z.string().describe('Of the saved server.'),
    slug: z.string(),
    status: z
      .enum(['connected', 'waiting', 'closed'])
      .describe('`waiting`: no client holds it open, so requests to it are refused.'),
    protocol: z.string().optional().describe('What the client speaks, while it is connected.'),
    connectedAt: Time.optional(),
    disconnectedAt: Time.optional().describe('When the last client went.'),
    connectTokenExpiresAt: Time.optional(),
    secretVersion: z.number().int(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Tunnel' });

export const listTunnels = operation({
  summary: "List a project's tunnels",
  description: 'With whether a client holds them open. In order of creation.',
  query: z.object(lookupPage),
  response: pageOf(Tunnel, 'TunnelPage'),
});

export const createTunnel = operation({
  summary: 'Open a tunnel to a server on another machine',
  description:
    'Saves a server of this name, or takes the one that is saved, and gives it a new address that leads through a tunnel. Every call replaces the secret and the token: the address from before is dead, and whoever held the tunnel is disconnected. `drydock tunnel` does this and holds the tunnel open.',
  command: 'tunnels create',
  method: 'POST',
  body: z
    .object({ name: Name.max(128) })
    .meta({ id: 'TunnelCreateRequest', description: 'The name of the saved server.' }),
  example: { name: 'laptop' },
  status: 201,
  response: TunnelGrant,
  errors: ['CONFLICT'],
});

export const closeTunnel = operation({
  summary: 'Close a tunnel',
  description: 'Disconnects its client and forgets its secret. The saved server stays.',
  command: 'tunnels close',
  method: 'POST',
  path: '/{serverId}/close',
  response: z.object({ serverId: z.string(), status: z.literal('closed') }).meta({ id: 'TunnelClosed' }),
});
