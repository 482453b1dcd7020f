import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { lookupPage, Time } from './paging.ts';
import { RegistryServer, RegistryServerPage } from './registry.ts';
import { HttpUrl } from './servers.ts';
import { Name } from './text.ts';

const operation = operationsIn({
  area: 'Registry',
  path: '/organizations/{organizationId}/registry',
  access: 'organization admin',
});

const words = z.string().trim().max(2000);
const fields = {
  name: Name.max(128).describe('Unique in the organization; what the saved server is called.'),
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
    clientId: z.string().min(1).max(500).optional().describe('OAuth client id, when one is registered.'),
  }),
};

/** The same in an edit. */
function takenAway<Field extends z.ZodType>(field: Field) {
  return field.nullable().optional().describe('`null` takes it away.');
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
  description: 'A server that every project of the organization can install.',
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
    'Fields left out stay as they are; `transport` is replaced as a whole. Servers that were installed from it stay where they are until they are installed again.',
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
  description: 'Servers that were installed from it stay.',
  command: 'registry-cards delete',
  method: 'DELETE',
  path: '/servers/{registryServerId}',
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'RegistryServerDeleted' }),
});

export const createRegistryGuestToken = operation({
  summary: 'Make a guest token for the directory',
  description:
    'Whoever has it may search the directory of this installation and read what is in it, and nothing else, until it expires. It cannot be taken back.',
  command: 'registry guest-token',
  method: 'POST',
  path: '/guest-tokens',
  body: z
    .strictObject({
      hours: z.number().int().min(1).max(24).default(1).describe('For how long it works; 1 when left out.'),
    })
    .meta({ id: 'RegistryGuestTokenRequest' }),
  example: { hours: 2 },
  status: 201,
  response: z
    .object({ token: z.string().describe('Sent like a key: `Authorization: Bearer`.'), expiresAt: Time })
    .meta({ id: 'RegistryGuestToken' }),
  access: 'organization member',
});
