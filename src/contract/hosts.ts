import { z } from 'zod';
import { ClientConfig, ClientConfigInput } from './client-config.ts';
import { createFields, oneSource, serverFields } from './clients.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import { Name } from './text.ts';

const operation = operationsIn({
  area: 'Clients (deprecated)',
  path: '/projects/{projectId}/hosts',
  access: 'project member',
});

const Host = z
  .object({
    id: z.string(),
    name: z.string(),
    hostConfigId: z.string(),
    modelId: z.string(),
    serverCount: z.number().int(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Host' });

const HostDetail = z
  .object({ id: z.string(), name: z.string(), config: ClientConfig })
  .meta({ id: 'HostDetail' });

export const listHosts = operation({
  summary: "List a project's clients",
  query: z.object(lookupPage),
  response: pageOf(Host, 'HostPage'),
  deprecated: '/projects/{projectId}/clients',
});

export const createHost = operation({
  summary: 'Create a client',
  method: 'POST',
  body: z.strictObject(createFields).superRefine(oneSource).meta({ id: 'HostCreateRequest' }),
  example: { name: 'Claude', template: 'claude' },
  status: 201,
  response: HostDetail,
  errors: ['CONFLICT'],
  deprecated: '/projects/{projectId}/clients',
});

export const getHost = operation({
  summary: 'Read a client',
  path: '/{hostId}',
  response: HostDetail,
  deprecated: '/projects/{projectId}/clients/{client}',
});

export const updateHost = operation({
  summary: 'Edit a client',
  description: '`config` replaces the whole configuration. Nothing is compared: the last edit wins.',
  method: 'PATCH',
  path: '/{hostId}',
  body: z
    .strictObject({ name: Name.optional(), config: ClientConfigInput.optional() })
    .refine((body) => Object.keys(body).length > 0, 'Give a name or a config')
    .meta({ id: 'HostUpdateRequest' }),
  example: { name: 'Claude, strict' },
  response: HostDetail,
  deprecated: '/projects/{projectId}/clients/{client}',
});

export const setHostServers = operation({
  command: 'hosts set-servers',
  summary: "Replace a client's servers",
  method: 'POST',
  path: '/{hostId}/servers',
  body: z.strictObject(serverFields).meta({ id: 'HostServersRequest' }),
  example: { serverIds: ['{serverId}'] },
  response: HostDetail,
  deprecated: '/projects/{projectId}/clients/{client}/servers',
});

export const duplicateHost = operation({
  summary: 'Duplicate a client',
  method: 'POST',
  path: '/{hostId}/duplicate',
  body: z.strictObject({ name: Name.optional() }).meta({ id: 'HostDuplicateRequest' }),
  example: {},
  status: 201,
  response: HostDetail,
  errors: ['CONFLICT'],
  deprecated: '/projects/{projectId}/clients/{client}/duplicate',
});

export const deleteHost = operation({
  summary: 'Delete a client',
  method: 'DELETE',
  path: '/{hostId}',
  body: z.strictObject({
    force: z.boolean().optional().describe('Ignored: a client that is in use is never deleted.'),
  }),
  example: {},
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'HostDeleted' }),
  errors: ['CONFLICT'],
  deprecated: '/projects/{projectId}/clients/{client}',
});
