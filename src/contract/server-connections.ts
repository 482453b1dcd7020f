import { z } from 'zod';
import { Name } from './fields.ts';
import { eventStream, operationsIn } from './operation.ts';
import { HttpUrl } from './servers.ts';

const operation = operationsIn({
  area: 'Server connections',
  path: '/server-connections',
  access: 'requester',
});

const Candidate = z.object({ id: z.string(), name: z.string(), url: z.string() });

const ServerConnection = z
  .object({
    connectionRequestId: z.string(),
    status: z
      .enum([
        'discovering',
        'awaiting_project',
        'awaiting_authorization',
        'authorizing',
        'validating',
        'ready',
        'failed',
        'expired',
        'cancelled',
      ])
      .describe('`ready`, `failed`, `expired` and `cancelled` are final.'),
    expiresAt: z.iso.datetime(),
    projectId: z.string().optional(),
    serverId: z.string().optional(),
    server: z
      .object({
        id: z.string(),
        name: z.string(),
        url: z.string().describe('URL with query values redacted.'),
        enabled: z.boolean(),
      })
      .optional(),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        retryable: z.boolean(),
        candidates: z.array(Candidate).optional(),
      })
      .optional()
      .describe('Reason for the failure, or the action it waits for.'),
  })
  .meta({ id: 'ServerConnection' });

export const createServerConnection = operation({
  summary: 'Connect a server by its URL',
  description:
    'Probes the server in the background. A server without authorization is tested and saved, and the request becomes `ready`. A server that requires OAuth is saved, and the request waits in `awaiting_authorization` until tokens are imported; `error` says where. No browser is opened. Limits: 5 open requests per account, each for one hour.',
  method: 'POST',
  body: z
    .strictObject({
      url: HttpUrl,
      projectId: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Default: the Default project of the organization.'),
      serverId: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('ID of a saved server with this URL, to reconnect it.'),
      name: Name.optional().describe('Default: the host of the URL.'),
      reauthorize: z.boolean().optional().describe('Require new tokens even if some are stored.'),
    })
    .meta({ id: 'ServerConnectionCreateBody' }),
  example: { url: 'https://weather.example.com/mcp' },
  status: 201,
  response: ServerConnection,
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND'],
  access: 'key',
});

export const getServerConnection = operation({
  summary: 'Read a connection request',
  description:
    'Has a separate rate limit of 240 reads a minute, so that polling does not use that of the key.',
  path: '/{connectionRequestId}',
  response: ServerConnection,
  budget: 'polls',
});

export const cancelServerConnection = operation({
  summary: 'Cancel a connection request',
  description:
    'Removes a server that was only saved to wait for tokens. Failed requests can be cancelled too, which prevents retries. Idempotent.',
  method: 'POST',
  path: '/{connectionRequestId}/cancel',
  response: ServerConnection,
  errors: ['CONFLICT'],
});

export const retryServerConnectionValidation = operation({
  summary: 'Retry a failed connection request',
  method: 'POST',
  path: '/{connectionRequestId}/retry-validation',
  response: ServerConnection,
  errors: ['CONFLICT'],
});

export const watchServerConnection = operation({
  summary: 'Follow a connection request',
  description:
    'Streams the request as server-sent events: its current state, then every change until it is final. Use it instead of polling.',
  path: '/{connectionRequestId}/events',
  response: eventStream(ServerConnection, 'The request after each change.'),
  budget: 'polls',
});
