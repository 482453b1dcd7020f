import { z } from 'zod';
import { swarms } from './features.ts';
import { id } from './fields.ts';
import { operationsIn } from './operation.ts';
import { shortName } from './personas.ts';

const operation = operationsIn({
  area: 'Swarms',
  path: '/projects/{projectId}',
  access: 'project member',
});

const journeyCount = z.number().int().min(1).max(5).optional().describe('Default 3.');
const source = {
  serverAttachmentId: id.optional().describe('ID of a server group.'),
  environmentId: id.optional().describe('ID of an environment, instead of a server group.'),
  description: z.string().max(2000).optional().describe('Users of the servers and their purposes.'),
};

export function hasOneToolSource(body: { serverAttachmentId?: unknown; environmentId?: unknown }): boolean {
  return (body.serverAttachmentId === undefined) !== (body.environmentId === undefined);
}
export const toolSourceMessage = 'Give either serverAttachmentId or environmentId';

export const personaDraftFields = {
  ...source,
  journeyCount,
  personaCount: z.number().int().min(1).max(12).optional().describe('Default: a single persona.'),
  existingPersonas: z
    .array(z.strictObject({ name: shortName, role: shortName }))
    .max(30)
    .optional()
    .describe('Existing personas, so that drafts differ from them.'),
};

export const journeyDraftFields = {
  ...source,
  journeyCount,
  persona: z.strictObject({ name: shortName, role: shortName, notes: z.string().max(2000).optional() }),
};

const PersonaDraft = z
  .looseObject({ name: z.string(), role: z.string(), notes: z.string().optional() })
  .meta({ id: 'PersonaDraft' });

const JourneyDraft = z
  .looseObject({
    name: z.string().optional(),
    goal: z.string(),
    suggestedChecks: z
      .array(z.object({ type: z.literal('toolCalledAtLeastOnce'), toolName: z.string() }))
      .optional(),
  })
  .meta({ id: 'JourneyDraft' });

export const GenerationDrafts = z
  .looseObject({
    generationModel: z.string().describe('Model that wrote the drafts. The offline model fills templates.'),
    persona: PersonaDraft.optional(),
    personas: z.array(z.object({ persona: PersonaDraft, journeys: z.array(JourneyDraft) })).optional(),
    journeys: z.array(JourneyDraft).optional(),
  })
  .meta({ id: 'GenerationDrafts' });

const description =
  'Generates drafts from the tools of a server group or an environment. Stores nothing, and may return fewer drafts than requested. Uses one unit of `generationsPerDay`.';

export const generatePersonas = operation({
  summary: 'Generate drafts of personas and journeys',
  command: 'personas generate',
  description: `${description} With \`personaCount\`, the response has \`personas\`; without it, \`persona\` and \`journeys\`.`,
  method: 'POST',
  path: '/personas/generate',
  body: z
    .strictObject(personaDraftFields)
    .refine(hasOneToolSource, toolSourceMessage)
    .meta({ id: 'PersonaGenerateRequest' }),
  example: { serverAttachmentId: '{serverGroupId}', journeyCount: 2 },
  response: GenerationDrafts,
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVER_UNREACHABLE', 'TIMEOUT', 'OAUTH_REQUIRED'],
  readOnly: true,
  spends: true,
  feature: swarms.write,
});

export const generateJourneys = operation({
  summary: 'Generate drafts of journeys for a persona',
  command: 'journeys generate',
  description,
  method: 'POST',
  path: '/journeys/generate',
  body: z
    .strictObject(journeyDraftFields)
    .refine(hasOneToolSource, toolSourceMessage)
    .meta({ id: 'JourneyGenerateRequest' }),
  example: {
    serverAttachmentId: '{serverGroupId}',
    persona: { name: 'Ada', role: 'harbour master in a hurry' },
  },
  response: GenerationDrafts,
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVER_UNREACHABLE', 'TIMEOUT', 'OAUTH_REQUIRED'],
  readOnly: true,
  spends: true,
  feature: swarms.write,
});
