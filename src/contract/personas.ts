import { z } from 'zod';
import { swarms } from './features.ts';
import { Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Swarms',
  path: '/projects/{projectId}/personas',
  access: 'project member',
});

const count = z.number().int();
export const shortName = Name.max(120);
const avatar = count.min(0).max(1000);

const Persona = z
  .object({
    id: z.string(),
    projectId: z.string(),
    slug: z.string().describe('URL-safe form of the name. Never changes.'),
    name: z.string(),
    role: z.string(),
    notes: z.string().nullable(),
    source: z.enum(['manual', 'generated', 'cluster']),
    seedKeywords: z.array(z.string()).optional(),
    avatar: z.object({ shape: count.nullable(), palette: count.nullable() }),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Persona', description: 'A simulated user, played by a model in journeys.' });

const written = {
  name: shortName,
  role: shortName.describe('Role in a few words, for example "harbour master in a hurry".'),
  notes: z.string().max(2000).optional().describe('How the persona speaks, what it knows and cares about.'),
  avatarShape: avatar.optional(),
  avatarPalette: avatar.optional(),
};

export const listPersonas = operation({
  summary: "List a project's personas",
  description: 'Newest first.',
  query: z.object(historyPage),
  response: pageOf(Persona, 'PersonaPage'),
  feature: swarms.list,
});

export const createPersona = operation({
  summary: 'Create a persona',
  method: 'POST',
  body: z.strictObject(written).meta({ id: 'PersonaCreateRequest' }),
  example: {
    name: 'Ada',
    role: 'harbour master in a hurry',
    notes: 'Short sentences. Asks for numbers.',
  },
  status: 201,
  response: Persona,
  errors: ['CONFLICT'],
  idempotency: 'transaction',
  feature: swarms.write,
});

export const getPersona = operation({
  summary: 'Read a persona',
  path: '/{personaId}',
  response: Persona,
  feature: swarms.readOne,
});

export const updatePersona = operation({
  summary: 'Edit a persona',
  description: 'Launched runs keep the version of the persona they started with.',
  method: 'PATCH',
  path: '/{personaId}',
  body: z
    .strictObject(written)
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'Give at least one field')
    .meta({ id: 'PersonaUpdateRequest' }),
  example: { notes: 'Polite, and never gives up.' },
  response: Persona,
  feature: swarms.write,
});

export const deletePersona = operation({
  summary: 'Delete a persona',
  description: 'Returns 409 while an active journey uses the persona.',
  method: 'DELETE',
  path: '/{personaId}',
  response: z
    .object({ id: z.string(), projectId: z.string(), deleted: z.literal(true) })
    .meta({ id: 'PersonaDeleted' }),
  errors: ['CONFLICT'],
  feature: swarms.always,
});
