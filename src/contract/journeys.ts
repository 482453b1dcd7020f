import { z } from 'zod';
import { swarms } from './features.ts';
import { id, Name } from './fields.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { GoalJudge, SessionRubric } from './rubrics.ts';

const operation = operationsIn({
  area: 'Swarms',
  path: '/projects/{projectId}/journeys',
  access: 'project member',
});

/** IDs of clients or environments. Each one is a target of a run. */
const targets = z
  .array(id)
  .max(20)
  .refine((ids) => new Set(ids).size === ids.length, 'Must not repeat an ID');
export const targetIds = targets.min(1, 'Must have at least one item; omit the field for none');

export const Count = z.number().int().min(1).max(100).describe('Number of sessions per target.');
export const MaxTurns = z
  .number()
  .int()
  .min(1)
  .max(200)
  .describe('Maximum number of persona messages per session.');

export const Journey = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    goal: z.string(),
    personaId: z.string(),
    swarmId: z.string().nullable(),
    environmentIds: z
      .array(z.string())
      .describe('If empty, the journey runs with `hostIds`, or with the environments of its swarm.'),
    hostIds: z.array(z.string()).describe('Clients to run with if there are no environments.'),
    serverAttachmentId: z
      .string()
      .optional()
      .describe('Server group that replaces the servers of the clients.'),
    sessionsPerTarget: z.number().int().nullable(),
    maxTurns: z.number().int().nullable(),
    rubric: SessionRubric.nullable().describe('`null`: uses the rubric of the swarm, if any.'),
    judge: GoalJudge,
    passThreshold: z.number().describe('Share of sessions per target that must pass.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Journey', description: 'Goal of a persona, with the targets to try it on.' });

export const grading = {
  rubric: SessionRubric.optional(),
  judge: GoalJudge.optional(),
  passThreshold: z.number().min(0).max(1).optional(),
};

export const journeyFields = {
  name: Name.optional().describe('Default: the beginning of the goal.'),
  goal: z.string().trim().min(1).max(4000).describe('Goal in the words of the persona.'),
  personaId: id,
  swarmId: id.optional(),
  environmentIds: targetIds.optional(),
  serverAttachmentId: id.optional(),
  hostIds: targets.optional(),
  sessionsPerTarget: Count,
  maxTurns: MaxTurns,
  ...grading,
};

export const journeyChanges = {
  name: Name.optional(),
  goal: journeyFields.goal.optional(),
  environmentIds: targetIds.nullable().optional().describe('`null` clears.'),
  serverAttachmentId: id.nullable().optional().describe('`null` clears.'),
  hostIds: targets.optional(),
  sessionsPerTarget: Count.optional(),
  maxTurns: MaxTurns.optional(),
  rubric: SessionRubric.nullable().optional().describe('`null` clears.'),
  judge: GoalJudge.optional(),
  passThreshold: grading.passThreshold,
};

/** Requires the number of sessions and their length to be set together. */
export function together(...names: [string, string]) {
  return (body: Record<string, unknown>, context: z.RefinementCtx): void => {
    if (Object.keys(body).length === 0)
      context.addIssue({ code: 'custom', path: [], message: 'Give at least one field' });
    const [given, missing] = names[0] in body ? names : [names[1], names[0]];
    if (given in body && !(missing in body))
      context.addIssue({
        code: 'custom',
        path: [missing],
        message: `Required together with ${given}`,
      });
  };
}

export const journeyExample = {
  name: 'Find a berth',
  goal: 'Find out which ships are in the harbour and how long the largest one is.',
  personaId: '{personaId}',
  hostIds: ['{hostId}'],
  maxTurns: 4,
};

export const listJourneys = operation({
  summary: "List a project's journeys",
  description: 'Newest first, without archived ones.',
  query: z.object(historyPage),
  response: pageOf(Journey, 'JourneyPage'),
  feature: swarms.list,
});

export const createJourney = operation({
  summary: 'Create a journey',
  description: 'Does not start a run. The persona, the swarm and the targets must be in this project.',
  method: 'POST',
  body: z.strictObject(journeyFields).meta({ id: 'JourneyCreateRequest' }),
  example: { ...journeyExample, sessionsPerTarget: 3 },
  status: 201,
  response: Journey,
  errors: ['CONFLICT'],
  idempotency: 'transaction',
  feature: swarms.write,
});

export const getJourney = operation({
  summary: 'Read a journey',
  path: '/{journeyId}',
  response: Journey,
  feature: swarms.readOne,
});

export const updateJourney = operation({
  summary: 'Edit a journey',
  description:
    'Launched runs keep the version of the journey they started with. Send `sessionsPerTarget` and `maxTurns` together.',
  method: 'PATCH',
  path: '/{journeyId}',
  body: z
    .strictObject(journeyChanges)
    .superRefine(together('sessionsPerTarget', 'maxTurns'))
    .meta({ id: 'JourneyUpdateRequest' }),
  example: { goal: 'Find out how long the largest ship in the harbour is.' },
  response: Journey,
  feature: swarms.write,
});

export const archived = { id: z.string(), projectId: z.string(), archived: z.literal(true) };

export const archiveJourney = operation({
  summary: 'Archive a journey',
  description: 'Hides the journey from lists and prevents launches. Runs are kept.',
  method: 'DELETE',
  path: '/{journeyId}',
  response: z.object(archived).meta({ id: 'JourneyArchived' }),
  feature: swarms.always,
});
