import { z } from 'zod';
import { ClientConfig, ClientConfigInput } from './client-config.ts';
import { createFields, oneSource, serverFields } from './clients.ts';
import { operation } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import { Name } from './text.ts';

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
  area: 'Clients (deprecated)',
  summary: "List a project's clients",
  method: 'GET',
  path: '/projects/{projectId}/hosts',
  query: z.object(lookupPage),
  status: 200,
  response: pageOf(Host, 'HostPage'),
  access: 'project member',
  deprecated: '/projects/{projectId}/clients',
});

export const createHost = operation({
  area: 'Clients (deprecated)',
  summary: 'Create a client',
  method: 'POST',
  path: '/projects/{projectId}/hosts',
  body: z.strictObject(createFields).superRefine(oneSource).meta({ id: 'HostCreateRequest' }),
  example: { name: 'Claude', template: 'claude' },
  status: 201,
  response: HostDetail,
  errors: ['CONFLICT'],
  access: 'project member',
  deprecated: '/projects/{projectId}/clients',
});

export const getHost = operation({
  area: 'Clients (deprecated)',
  summary: 'Read a client',
  method: 'GET',
  path: '/projects/{projectId}/hosts/{hostId}',
  status: 200,
  response: HostDetail,
  access: 'project member',
  deprecated: '/projects/{projectId}/clients/{client}',
});

export const updateHost = operation({
  area: 'Clients (deprecated)',
  summary: 'Edit a client',
  description: '`config` replaces the whole configuration. Nothing is compared: the last edit wins.',
  method: 'PATCH',
  path: '/projects/{projectId}/hosts/{hostId}',
  body: z
    .strictObject({ name: Name.optional(), config: ClientConfigInput.optional() })
    .refine((body) => Object.keys(body).length > 0, 'Give a name or a config')
    .meta({ id: 'HostUpdateRequest' }),
  example: { name: 'Claude, strict' },
  status: 200,
  response: HostDetail,
  access: 'project member',
  deprecated: '/projects/{projectId}/clients/{client}',
});

export const setHostServers = operation({
  area: 'Clients (deprecated)',
  summary: "Replace a client's servers",
  method: 'POST',
  path: '/projects/{projectId}/hosts/{hostId}/servers',
  body: z.strictObject(serverFields).meta({ id: 'HostServersRequest' }),
  example: { serverIds: ['{serverId}'] },
  status: 200,
  response: HostDetail,
  access: 'project member',
  deprecated: '/projects/{projectId}/clients/{client}/servers',
});

export const duplicateHost = operation({
  area: 'Clients (deprecated)',
  summary: 'Duplicate a client',
  method: 'POST',
  path: '/projects/{projectId}/hosts/{hostId}/duplicate',
  body: z.strictObject({ name: Name.optional() }).meta({ id: 'HostDuplicateRequest' }),
  example: {},
  status: 201,
  response: HostDetail,
  errors: ['CONFLICT'],
  access: 'project member',
  deprecated: '/projects/{projectId}/clients/{client}/duplicate',
});

export const deleteHost = operation({
  area: 'Clients (deprecated)',
  summary: 'Delete a client',
  method: 'DELETE',
  path: '/projects/{projectId}/hosts/{hostId}',
  body: z.strictObject({
    force: z.boolean().optional().describe('Ignored: a client that is in use is never deleted.'),
  }),
  example: {},
  status: 200,
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'HostDeleted' }),
  errors: ['CONFLICT'],
  access: 'project member',
  deprecated: '/projects/{projectId}/clients/{client}',
});
