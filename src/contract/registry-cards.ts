import { z } from 'zod';
import { Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, Time } from './paging.ts';
import { RegistryServer, RegistryServerPage } from './registry.ts';
import { HttpUrl } from './servers.ts';

const operation = operationsIn({
  area: 'Registry',
  path: '/organizations/{organizationId}/registry',
  access: 'organization admin',
});

const words = z.string().trim().max(2000);
const fields = {
  name: Name.max(128).describe('Unique in the organization. Also the name of the installed server.'),
  displayName: Name.max(200).optional(),
  description: words.optional(),
  category: Name.max(100).optional(),
  tags: z.array(Name.max(60)).max(20).optional(),
  publisher: Name.max(200).optional(),
  transport: z.strictObject({
    transportType: z.literal('http').optional(),
    url: HttpUrl,
    useOAuth: z.boolean().optional(),
    oauthScopes: z.array(z.string().max(500)).max(100).optional(),
    clientId: z.string().min(1).max(500).optional().describe('OAuth client ID, if one is registered.'),
  }),
};

/** An optional field of an edit. */
function takenAway<Field extends z.ZodType>(field: Field) {
  return field.nullable().optional().describe('`null` clears it.');
}

export const listOrganizationRegistryServers = operation({
  summary: "List an organization's cards",
  description: 'In order of creation.',
  command: 'registry-cards list',
  path: '/servers',
  query: z.object(lookupPage),
  response: RegistryServerPage,
  access: 'organization member',
});

export const createOrganizationRegistryServer = operation({
  summary: 'Add a card',
  description: 'Makes a server available to all projects of the organization.',
  command: 'registry-cards create',
  method: 'POST',
  path: '/servers',
  body: z.strictObject(fields).meta({ id: 'RegistryServerCreateRequest' }),
  example: { name: 'weather', transport: { url: 'https://weather.example.com/mcp' } },
  status: 201,
  response: RegistryServer,
  errors: ['CONFLICT'],
});

export const updateOrganizationRegistryServer = operation({
  summary: 'Edit a card',
  description:
    'Omitted fields keep their value; `transport` is replaced as a whole. Installed servers do not change until they are installed again.',
  command: 'registry-cards update',
  method: 'PATCH',
  path: '/servers/{registryServerId}',
  body: z
    .strictObject({
      name: fields.name.optional(),
      tags: fields.tags,
      transport: fields.transport.optional(),
      displayName: takenAway(fields.displayName),
      description: takenAway(fields.description),
      category: takenAway(fields.category),
      publisher: takenAway(fields.publisher),
      status: z.enum(['active', 'deprecated']).optional(),
    })
    .refine((body) => Object.keys(body).length > 0, 'Give at least one field to change')
    .meta({ id: 'RegistryServerUpdateRequest' }),
  example: { description: 'Forecasts' },
  response: RegistryServer,
  errors: ['CONFLICT'],
});

export const deleteOrganizationRegistryServer = operation({
  summary: 'Delete a card',
  description: 'Installed servers are kept.',
  command: 'registry-cards delete',
  method: 'DELETE',
  path: '/servers/{registryServerId}',
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'RegistryServerDeleted' }),
});

export const createRegistryGuestToken = operation({
  summary: 'Create a guest token for the directory',
  description:
    'The token gives read-only access to the directory of this installation until it expires. The token cannot be revoked.',
  command: 'registry guest-token',
  method: 'POST',
  path: '/guest-tokens',
  body: z
    .strictObject({
      hours: z.number().int().min(1).max(24).default(1).describe('Lifetime in hours. Default 1.'),
    })
    .meta({ id: 'RegistryGuestTokenRequest' }),
  example: { hours: 2 },
  status: 201,
  response: z
    .object({
      token: z.string().describe('Send it like an API key: `Authorization: Bearer`.'),
      expiresAt: Time,
    })
    .meta({ id: 'RegistryGuestToken' }),
  access: 'organization member',
});
