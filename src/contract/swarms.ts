import { z } from 'zod';
import { archived, Count, MaxTurns, targetIds, together } from './journeys.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { SessionRubric } from './rubrics.ts';
import { swarms } from './swarm-feature.ts';
import { Name } from './text.ts';

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
    environmentIds: z.array(z.string()).describe('For journeys of the swarm that have none.'),
    iterations: z.number().int().nullable(),
    sessionsPerTarget: z.number().int().nullable().describe('The same as `iterations`.'),
    maxTurns: z.number().int().nullable(),
    rubric: SessionRubric.nullable().describe('For journeys of the swarm that have none.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Swarm', description: 'Journeys that belong together, with what they have in common.' });

const description = z.string().max(2000);
const sizes = {
  iterations: Count.optional(),
  sessionsPerTarget: Count.optional().describe('The same under its first name; give one of them.'),
};

function notTwice(body: object, context: z.RefinementCtx): void {
  if ('iterations' in body && 'sessionsPerTarget' in body)
    context.addIssue({
      code: 'custom',
      path: ['sessionsPerTarget'],
      message: 'Says the same as iterations; give one of them',
    });
}

export const listSwarms = operation({
  summary: "List a project's swarms",
  description: 'The latest first, without those that are archived.',
  query: z.object(historyPage),
  response: pageOf(Swarm, 'SwarmPage'),
  feature: swarms.read({ items: [] }),
});

export const createSwarm = operation({
  summary: 'Create a swarm',
  description: 'A container with defaults. It holds nothing that runs.',
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
  description: 'It leaves the lists; its journeys stay as they are, and no longer take its defaults.',
  method: 'DELETE',
  path: '/{swarmId}',
  response: z.object(archived).meta({ id: 'SwarmArchived' }),
  feature: swarms.always,
});
