import { z } from 'zod';
import { ClientConfig, ClientConfigInput, clientSettings } from './client-config.ts';
import { Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Clients',
  path: '/projects/{projectId}/clients',
  access: 'project member',
});

const configId = z.string().describe('Content hash of the configuration: equal IDs mean equal settings.');
const expectedConfigId = z.string().min(1).max(200).describe('`configId` as you last read it.');

export const ClientImpact = z
  .object({
    liveEnvironmentCount: z.number().int().min(0),
    scenarioAttachmentCount: z.number().int().min(0),
    activeLegacyJourneyCount: z.number().int().min(0),
  })
  .meta({ id: 'ClientImpact', description: 'Resources affected by an edit of the configuration.' });

const row = {
  id: z.string(),
  name: z.string(),
  ownerScope: z.looseObject({}).nullable(),
  hasComputer: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
};

const Client = z
  .object({ ...row, configId, modelId: z.string(), serverCount: z.number().int() })
  .meta({ id: 'Client' });

const ClientDetail = z
  .object({
    ...row,
    config: ClientConfig,
    configId,
    versionNumber: z.number().int().min(1).describe('Number of saved edits.'),
    impact: ClientImpact,
  })
  .meta({ id: 'ClientDetail' });

/** Also the body of the deprecated `createHost`. */
export const createFields = {
  name: Name,
  template: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('ID of a built-in template, from the host catalog.'),
  theme: z.enum(['light', 'dark']).optional().describe('Only with a template.'),
  config: ClientConfigInput.optional(),
};

const serverIds = z.array(z.string().min(1).max(200)).max(256);
export const serverFields = { serverIds, optionalServerIds: serverIds.optional() };

export function oneSource(
  body: { template?: unknown; theme?: unknown; config?: unknown },
  check: z.RefinementCtx,
): void {
  if ((body.template === undefined) === (body.config === undefined))
    check.addIssue({ code: 'custom', message: 'Send exactly one of template and config' });
  if (body.theme !== undefined && body.template === undefined)
    check.addIssue({ code: 'custom', path: ['theme'], message: 'Only allowed with a template' });
}

/** `null` resets a field to its default, or removes it. */
const nullable = Object.fromEntries(
  Object.entries(clientSettings).map(([name, schema]) => [
    name,
    name === 'modelId' ? schema.optional() : schema.nullable().optional(),
  ]),
) as { [Name in keyof typeof clientSettings]: z.ZodOptional<z.ZodNullable<(typeof clientSettings)[Name]>> };

const ClientFieldSet = z
  .strictObject(nullable)
  .refine((fields) => Object.keys(fields).length > 0, 'Give at least one field to set')
  .meta({
    id: 'ClientFieldSet',
    description: 'Omitted fields keep their value; `null` resets or clears a field.',
  });

const ClientUpdateRequest = z
  .strictObject({
    name: Name.optional(),
    expectedName: z.string().min(1).max(500).optional(),
    config: ClientConfigInput.optional().describe('Replaces the whole configuration.'),
    set: ClientFieldSet.optional().describe('Changes individual fields of the configuration.'),
    expectedConfigId: expectedConfigId.optional(),
    expectedImpact: ClientImpact.optional(),
  })
  .superRefine((body, check) => {
    const refuse = (path: string[], message: string): void =>
      check.addIssue({ code: 'custom', path, message });
    const edits = body.config !== undefined || body.set !== undefined;
    if (body.name === undefined && !edits) refuse([], 'Give a name, a config or fields to set');
    if (body.config !== undefined && body.set !== undefined) refuse(['set'], 'Send either config or set');
    if (body.name !== undefined && body.expectedName === undefined)
      refuse(['expectedName'], 'Required with name: the name you read');
    if (edits && body.expectedConfigId === undefined)
      refuse(['expectedConfigId'], 'Required with config and set: the configId you read');
  })
  .meta({ id: 'ClientUpdateRequest' });

const withPrivate = z.object({
  includePrivateBacking: z
    .enum(['true', 'false'])
    .optional()
    .describe('Include clients that only back a study.'),
});

export const listClients = operation({
  summary: "List a project's clients",
  query: withPrivate.extend(lookupPage),
  response: pageOf(Client, 'ClientPage'),
});

export const createClient = operation({
  summary: 'Create a client',
  description: 'Send either a built-in `template` or a complete `config`.',
  method: 'POST',
  body: z.strictObject(createFields).superRefine(oneSource).meta({ id: 'ClientCreateRequest' }),
  example: { name: 'Claude', template: 'claude' },
  status: 201,
  response: ClientDetail,
  errors: ['CONFLICT'],
});

export const getClient = operation({
  summary: 'Read a client',
  description:
    '`client` is an ID or a name; names are case-insensitive. An ambiguous name returns 409 with the matching IDs.',
  path: '/{client}',
  query: withPrivate,
  response: ClientDetail,
  errors: ['CONFLICT'],
});

export const updateClient = operation({
  summary: 'Edit a client',
  description:
    'To change the configuration, send the `configId` you read as `expectedConfigId`; to rename, send the current name as `expectedName`. If the client has changed since, returns 409 with the current value in `details`. An edit without changes writes nothing.',
  method: 'PATCH',
  path: '/{client}',
  body: ClientUpdateRequest,
  example: { name: 'Claude, strict', expectedName: 'fixture' },
  response: ClientDetail,
  errors: ['CONFLICT'],
});

export const setClientServers = operation({
  command: 'clients set-servers',
  summary: "Replace a client's servers",
  method: 'POST',
  path: '/{client}/servers',
  body: z
    .strictObject({
      ...serverFields,
      expectedConfigId,
      expectedImpact: ClientImpact.optional(),
    })
    .meta({ id: 'ClientServersRequest' }),
  example: { serverIds: ['{serverId}'], expectedConfigId: '{configId}' },
  response: ClientDetail,
  errors: ['CONFLICT'],
});

export const duplicateClient = operation({
  summary: 'Duplicate a client',
  method: 'POST',
  path: '/{client}/duplicate',
  body: z.strictObject({ name: Name.optional() }).meta({ id: 'ClientDuplicateRequest' }),
  example: {},
  status: 201,
  response: ClientDetail,
  errors: ['CONFLICT'],
});

export const deleteClient = operation({
  summary: 'Delete a client',
  description: 'Returns 409 while a live environment uses the client, and lists those environments.',
  method: 'DELETE',
  path: '/{client}',
  response: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'ClientDeleted' }),
  errors: ['CONFLICT'],
});
