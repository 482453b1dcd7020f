import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { GoalJudge, SessionRubric } from './rubrics.ts';
import { swarms } from './swarm-feature.ts';
import { Name } from './text.ts';

const operation = operationsIn({
  area: 'Swarms',
  path: '/projects/{projectId}/journeys',
  access: 'project member',
});

const id = z.string().min(1).max(128);
/** Each of them is a target of a run. */
const targets = z
  .array(id)
  .max(20)
  .refine((ids) => new Set(ids).size === ids.length, 'Names an id twice');
export const targetIds = targets.min(1, 'Must name at least one; leave the field out for none');

export const Count = z.number().int().min(1).max(100).describe('Sessions with each target.');
export const MaxTurns = z.number().int().min(1).max(200).describe('Messages of the persona in a session.');

export const Journey = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    goal: z.string(),
    personaId: z.string(),
    swarmId: z.string().nullable(),
    environmentIds: z.array(z.string()).describe('Empty: it runs with `hostIds`, or as its swarm does.'),
    hostIds: z.array(z.string()).describe('Clients to run with where there are no environments.'),
    serverAttachmentId: z
      .string()
      .optional()
      .describe('A server group, instead of the servers of the clients.'),
    sessionsPerTarget: z.number().int().nullable(),
    maxTurns: z.number().int().nullable(),
    rubric: SessionRubric.nullable().describe('`null`: that of its swarm, if it has one.'),
    judge: GoalJudge,
    passThreshold: z.number().describe('The share of the sessions of a target that has to pass.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Journey', description: 'What a persona wants to get done, and where it is tried.' });

export const grading = {
  rubric: SessionRubric.optional(),
  judge: GoalJudge.optional(),
  passThreshold: z.number().min(0).max(1).optional(),
};

export const journeyFields = {
  name: Name.optional().describe('Left out, the beginning of the goal.'),
  goal: z.string().trim().min(1).max(4000).describe('In the words of somebody who wants it.'),
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

/** How many sessions and how long they are is decided together. */
export function together(...names: [string, string]) {
  return (body: Record<string, unknown>, context: z.RefinementCtx): void => {
    if (Object.keys(body).length === 0)
      context.addIssue({ code: 'custom', path: [], message: 'Give at least one field' });
    const [given, missing] = names[0] in body ? names : [names[1], names[0]];
    if (given in body && !(missing in body))
      context.addIssue({
        code: 'custom',
        path: [missing],
        message: `Goes together with ${given}; give both`,
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
  description: 'The latest first, without those that are archived.',
  query: z.object(historyPage),
  response: pageOf(Journey, 'JourneyPage'),
  feature: swarms.read({ items: [] }),
});

export const createJourney = operation({
  summary: 'Create a journey',
  description:
    'Nothing runs. The persona, the swarm and whatever else is named have to be in this project. `rubric`, `judge` and `passThreshold` are ours, and optional.',
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
    'Runs that were launched keep the journey they were launched with. `sessionsPerTarget` and `maxTurns` are sent together.',
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
  description: 'It leaves the lists and cannot be launched; its runs stay.',
  method: 'DELETE',
  path: '/{journeyId}',
  response: z.object(archived).meta({ id: 'JourneyArchived' }),
  feature: swarms.always,
});
