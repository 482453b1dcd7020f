import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Catalog',
  path: '/organizations/{organizationId}/spend-budget',
  access: 'organization member',
});

const SpendBudget = z
  .object({
    capUsd: z.number().nullable().describe('`null` is no cap.'),
    capCredits: z.number().int().nullable().describe('A credit is a cent.'),
    alertPercents: z.array(z.number().int()),
    spentUsd: z.number(),
    spentCredits: z.number().int(),
    reservedUsd: z
      .number()
      .optional()
      .describe(
        'What model calls that are running may cost at most. It becomes spent, or free again, when they end.',
      ),
    reservedCredits: z.number().int().optional(),
    windowStartAt: Time,
    windowEndsAt: Time,
    alertedPercents: z.array(z.number().int()).describe('Those that were reached in this window.'),
    capReachedAt: Time.nullable(),
    updatedAt: Time.nullable(),
    minCapUsd: z.number(),
    maxCapUsd: z.number(),
    supported: z.boolean(),
  })
  .meta({ id: 'SpendBudget' });

export const getSpendBudget = operation({
  summary: "Read an organization's spend budget",
  description: 'What models cost on keys of this deployment, in the current calendar month (UTC).',
  response: SpendBudget,
});

export const setSpendBudget = operation({
  summary: 'Cap what an organization may spend',
  description:
    'Holds for every call of a model on keys of this deployment: what it may cost is reserved before it is made. Reached, new work is refused and turns and trials that are under way end at their next step, until the month ends or the cap is raised. Models without a price are refused while there is a cap. Administrators only.',
  method: 'PUT',
  body: z
    .strictObject({
      capUsd: z.number().min(0).max(1_000_000),
      alertPercents: z.array(z.number().int().min(1).max(99)).max(10).default([80]),
    })
    .meta({ id: 'SpendBudgetInput' }),
  example: { capUsd: 25 },
  response: SpendBudget,
  access: 'organization admin',
});

export const clearSpendBudget = operation({
  command: 'spend-budget clear',
  summary: 'Lift the cap',
  description: 'What was spent stays counted. Administrators only.',
  method: 'DELETE',
  response: SpendBudget,
  access: 'organization admin',
});
