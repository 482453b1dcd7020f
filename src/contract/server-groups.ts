import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import { Name } from './text.ts';

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
      .describe(
        'As the servers are called now, in the order of `serverIds`; a deleted one is marked as such.',
      ),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'ServerGroup', description: 'Saved servers under one name. A group never changes.' });

export const listServerGroups = operation({
  summary: "List a project's server groups",
  description: 'In order of creation.',
  query: z.object(lookupPage),
  response: pageOf(ServerGroup, 'ServerGroupPage'),
});

export const createServerGroup = operation({
  summary: 'Group servers',
  description: 'For environments to pin. The group cannot be changed later.',
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
        .describe('Servers of this project, none of them managed by a plugin.'),
    })
    .meta({ id: 'ServerGroupCreateRequest' }),
  example: { name: 'Forecasts', serverIds: ['{serverId}'] },
  status: 201,
  response: ServerGroup,
  errors: ['CONFLICT'],
});
