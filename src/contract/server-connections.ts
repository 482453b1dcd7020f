import { z } from 'zod';
import { eventStream, operationsIn } from './operation.ts';
import { HttpUrl } from './servers.ts';
import { Name } from './text.ts';

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
        url: z.string().describe('Without the values of its query.'),
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
      .describe('Why it failed, or what it waits for.'),
  })
  .meta({ id: 'ServerConnection' });

export const createServerConnection = operation({
  summary: 'Connect a server by its URL',
  description:
    'Looks at the server in the background. One that is open is tried and saved, and the request is `ready`. One that asks for OAuth is saved, and the request waits in `awaiting_authorization`, with an `error` that says where to import tokens, and goes on by itself when they are there; no browser is opened. At most 5 requests of an account are open at once, each for an hour.',
  method: 'POST',
  body: z
    .strictObject({
      url: HttpUrl,
      projectId: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("The organization's Default project if left out."),
      serverId: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('A saved server with this URL, to connect it again.'),
      name: Name.optional().describe('The host of the URL if left out.'),
      reauthorize: z.boolean().optional().describe('Wait for new tokens even if there are some.'),
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
    'Has a budget of its own, 240 reads a minute, so that waiting for it does not use up that of the key.',
  path: '/{connectionRequestId}',
  response: ServerConnection,
  budget: 'polls',
});

export const cancelServerConnection = operation({
  summary: 'Cancel a connection request',
  description:
    'A server that was saved only to wait for tokens is removed again. A failed request can be cancelled, so that nobody tries it again. Cancelling twice is no error.',
  method: 'POST',
  path: '/{connectionRequestId}/cancel',
  response: ServerConnection,
  errors: ['CONFLICT'],
});

export const retryServerConnectionValidation = operation({
  summary: 'Try a failed connection again',
  method: 'POST',
  path: '/{connectionRequestId}/retry-validation',
  response: ServerConnection,
  errors: ['CONFLICT'],
});

export const watchServerConnection = operation({
  summary: 'Follow a connection request',
  description:
    'Server-sent events: the request as it is, then again whenever it changes, until it is over. Instead of asking again and again.',
  path: '/{connectionRequestId}/events',
  response: eventStream(ServerConnection, 'The request after each change.'),
  budget: 'polls',
});
