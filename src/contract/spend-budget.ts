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
    capUsd: z.number().nullable().describe('`null`: no cap.'),
    capCredits: z.number().int().nullable().describe('One credit is one cent.'),
    alertPercents: z.array(z.number().int()),
    spentUsd: z.number(),
    spentCredits: z.number().int(),
    reservedUsd: z
      .number()
      .optional()
      .describe('Maximum cost of running model calls. Settled when they end.'),
    reservedCredits: z.number().int().optional(),
    windowStartAt: Time,
    windowEndsAt: Time,
    alertedPercents: z.array(z.number().int()).describe('Alert thresholds reached in this window.'),
    capReachedAt: Time.nullable(),
    updatedAt: Time.nullable(),
    minCapUsd: z.number(),
    maxCapUsd: z.number(),
    supported: z.boolean(),
  })
  .meta({ id: 'SpendBudget' });

export const getSpendBudget = operation({
  summary: "Read an organization's spend budget",
  description: 'Cost of model calls with keys of this deployment in the current calendar month (UTC).',
  response: SpendBudget,
});

export const setSpendBudget = operation({
  summary: 'Set the spend cap of an organization',
  description:
    'Applies to all model calls with keys of this deployment. Their maximum cost is reserved before the call. Once the cap is reached, new work is refused, and running turns and trials end at their next step, until the month ends or the cap is raised. While a cap is set, models without prices are refused. Administrators only.',
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
  summary: 'Remove the spend cap of an organization',
  description: 'Recorded spending is kept. Administrators only.',
  method: 'DELETE',
  response: SpendBudget,
  access: 'organization admin',
});
