import { z } from 'zod';
import { swarms } from './features.ts';
import { Name } from './fields.ts';
import { archived, Count, MaxTurns, targetIds, together } from './journeys.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { SessionRubric } from './rubrics.ts';

const operation = operationsIn({
  area: 'Swarms',
  path: '/projects/{projectId}/swarms',
  access: 'project member',
});

const Swarm = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    environmentIds: z.array(z.string()).describe('Default for journeys of the swarm.'),
    iterations: z.number().int().nullable(),
    sessionsPerTarget: z.number().int().nullable().describe('Same value as `iterations`.'),
    maxTurns: z.number().int().nullable(),
    rubric: SessionRubric.nullable().describe('Default for journeys of the swarm.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Swarm', description: 'A group of journeys with common defaults.' });

const description = z.string().max(2000);
const sizes = {
  iterations: Count.optional(),
  sessionsPerTarget: Count.optional().describe('Former name of `iterations`. Send only one of them.'),
};

function notTwice(body: object, context: z.RefinementCtx): void {
  if ('iterations' in body && 'sessionsPerTarget' in body)
    context.addIssue({
      code: 'custom',
      path: ['sessionsPerTarget'],
      message: 'Cannot be combined with iterations; send only one',
    });
}

export const listSwarms = operation({
  summary: "List a project's swarms",
  description: 'Newest first, without archived ones.',
  query: z.object(historyPage),
  response: pageOf(Swarm, 'SwarmPage'),
  feature: swarms.list,
});

export const createSwarm = operation({
  summary: 'Create a swarm',
  description: 'Creates a group with defaults. Does not start a run.',
  method: 'POST',
  body: z
    .strictObject({
      name: Name,
      description: description.optional(),
      environmentIds: targetIds.optional(),
      ...sizes,
      maxTurns: MaxTurns,
      rubric: SessionRubric.optional(),
    })
    .superRefine((body, context) => {
      notTwice(body, context);
      if (!('iterations' in body || 'sessionsPerTarget' in body))
        context.addIssue({ code: 'custom', path: ['iterations'], message: 'Required' });
    })
    .meta({ id: 'SwarmCreateRequest' }),
  example: { name: 'Harbour', iterations: 3, maxTurns: 6 },
  status: 201,
  response: Swarm,
  errors: ['CONFLICT'],
  idempotency: 'transaction',
  feature: swarms.write,
});

export const getSwarm = operation({
  summary: 'Read a swarm',
  path: '/{swarmId}',
  response: Swarm,
  feature: swarms.readOne,
});

export const updateSwarm = operation({
  summary: 'Edit a swarm',
  method: 'PATCH',
  path: '/{swarmId}',
  body: z
    .strictObject({
      name: Name.optional(),
      description: description.nullable().optional().describe('`null` clears.'),
      environmentIds: targetIds.nullable().optional().describe('`null` clears.'),
      ...sizes,
      maxTurns: MaxTurns.optional(),
      rubric: SessionRubric.nullable().optional().describe('`null` clears.'),
    })
    .superRefine((body, context) => {
      notTwice(body, context);
      together('sessionsPerTarget' in body ? 'sessionsPerTarget' : 'iterations', 'maxTurns')(body, context);
    })
    .meta({ id: 'SwarmUpdateRequest' }),
  example: { name: 'Harbour, at night' },
  response: Swarm,
  feature: swarms.write,
});

export const archiveSwarm = operation({
  summary: 'Archive a swarm',
  description: 'Hides the swarm from lists. Journeys are kept but no longer use the defaults of the swarm.',
  method: 'DELETE',
  path: '/{swarmId}',
  response: z.object(archived).meta({ id: 'SwarmArchived' }),
  feature: swarms.always,
});
