import { z } from 'zod';
import { Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Environments',
  path: '/projects/{projectId}/server-groups',
  access: 'project member',
});

const ServerGroup = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    serverIds: z.array(z.string()),
    serverNames: z
      .array(z.string())
      .describe('Current names of the servers, in the order of `serverIds`. Deleted servers are marked.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'ServerGroup', description: 'A named set of saved servers. Groups are immutable.' });

export const listServerGroups = operation({
  summary: "List a project's server groups",
  description: 'In order of creation.',
  query: z.object(lookupPage),
  response: pageOf(ServerGroup, 'ServerGroupPage'),
});

export const createServerGroup = operation({
  summary: 'Create a server group',
  description: 'Environments can pin server groups. A group is immutable.',
  method: 'POST',
  body: z
    .strictObject({
      name: Name,
      description: z.string().max(2000).optional(),
      serverIds: z
        .array(z.string().min(1).max(128))
        .min(1)
        .max(100)
        .refine((ids) => new Set(ids).size === ids.length, 'Names a server twice')
        .describe('Servers of this project that are not managed by a plugin.'),
    })
    .meta({ id: 'ServerGroupCreateRequest' }),
  example: { name: 'Forecasts', serverIds: ['{serverId}'] },
  status: 201,
  response: ServerGroup,
  errors: ['CONFLICT'],
});
