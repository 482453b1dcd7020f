import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { swarms } from './swarm-feature.ts';
import { Name } from './text.ts';

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
    slug: z.string().describe('Its name in small letters, for addresses; given once.'),
    name: z.string(),
    role: z.string(),
    notes: z.string().nullable(),
    source: z.enum(['manual', 'generated', 'cluster']),
    seedKeywords: z.array(z.string()).optional(),
    avatar: z.object({ shape: count.nullable(), palette: count.nullable() }),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Persona', description: 'Somebody who wants something: whom a model plays in a journey.' });

const written = {
  name: shortName,
  role: shortName.describe('What they are, in a few words: "harbour master in a hurry".'),
  notes: z.string().max(2000).optional().describe('How they speak, what they know, what they care about.'),
  avatarShape: avatar.optional(),
  avatarPalette: avatar.optional(),
};

export const listPersonas = operation({
  summary: "List a project's personas",
  description: 'The latest first.',
  query: z.object(historyPage),
  response: pageOf(Persona, 'PersonaPage'),
  feature: swarms.read({ items: [] }),
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
  description: 'Runs that were launched keep the persona they were launched with.',
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
  description: 'Refused while a journey that is not archived has it.',
  method: 'DELETE',
  path: '/{personaId}',
  response: z
    .object({ id: z.string(), projectId: z.string(), deleted: z.literal(true) })
    .meta({ id: 'PersonaDeleted' }),
  errors: ['CONFLICT'],
  feature: swarms.always,
});
