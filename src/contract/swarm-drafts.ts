import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { shortName } from './personas.ts';
import { swarms } from './swarm-feature.ts';

const operation = operationsIn({
  area: 'Swarms',
  path: '/projects/{projectId}',
  access: 'project member',
});

const id = z.string().min(1).max(128);
const journeyCount = z.number().int().min(1).max(5).optional().describe('3 when left out.');
const source = {
  serverAttachmentId: id.optional().describe('A server group.'),
  environmentId: id.optional().describe('Or an environment.'),
  description: z.string().max(2000).optional().describe('Who uses this, and for what.'),
};

export function oneOffer(body: { serverAttachmentId?: unknown; environmentId?: unknown }): boolean {
  return (body.serverAttachmentId === undefined) !== (body.environmentId === undefined);
}
export const offerWords = 'Give either serverAttachmentId or environmentId';

export const personaDraftFields = {
  ...source,
  journeyCount,
  personaCount: z.number().int().min(1).max(12).optional().describe('Left out, one persona is drafted.'),
  existingPersonas: z
    .array(z.strictObject({ name: shortName, role: shortName }))
    .max(30)
    .optional()
    .describe('Who is there already, so that others are drafted.'),
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
    generationModel: z.string().describe('Which model has drafted; the offline one fills templates.'),
    persona: PersonaDraft.optional(),
    personas: z.array(z.object({ persona: PersonaDraft, journeys: z.array(JourneyDraft) })).optional(),
    journeys: z.array(JourneyDraft).optional(),
  })
  .meta({ id: 'GenerationDrafts' });

const description =
  'Candidates, made from the tools that a server group or an environment offers. Nothing is stored, and there may be fewer than were asked for. Takes one of `generationsPerDay`.';

export const generatePersonas = operation({
  summary: 'Draft personas and journeys',
  command: 'personas generate',
  description: `${description} Without \`personaCount\` the answer has \`persona\` and \`journeys\`, with it \`personas\`.`,
  method: 'POST',
  path: '/personas/generate',
  body: z
    .strictObject(personaDraftFields)
    .refine(oneOffer, offerWords)
    .meta({ id: 'PersonaGenerateRequest' }),
  example: { serverAttachmentId: '{serverGroupId}', journeyCount: 2 },
  response: GenerationDrafts,
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVER_UNREACHABLE', 'TIMEOUT', 'OAUTH_REQUIRED'],
  readOnly: true,
  spends: true,
  feature: swarms.write,
});

export const generateJourneys = operation({
  summary: 'Draft journeys for a persona',
  command: 'journeys generate',
  description,
  method: 'POST',
  path: '/journeys/generate',
  body: z
    .strictObject(journeyDraftFields)
    .refine(oneOffer, offerWords)
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
