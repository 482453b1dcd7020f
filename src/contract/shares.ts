import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';
import { Mode } from './studies.ts';

const operation = operationsIn({
  area: 'Shares',
  path: '/projects/{projectId}/shares/{shareKind}/{targetId}',
  access: 'project member',
});

const Share = z
  .object({
    projectId: z.string(),
    kind: z.enum(['scenario', 'conformanceRun', 'evalRun']),
    targetId: z.string(),
    shared: z.boolean().describe('Whether the link is active.'),
    mode: Mode.nullable().describe(
      'Access mode of a study. A run has none: its link works for anyone or is off.',
    ),
    policyVersion: z.number().int().describe('Number of changes. Send it back as `expectedPolicyVersion`.'),
    expiresAt: Time.nullable().describe('`null`: no expiry.'),
    link: z.object({ path: z.string(), url: z.string() }).nullable(),
    updatedAt: Time.nullable(),
  })
  .meta({ id: 'Share' });

export const getShare = operation({
  summary: 'Read the share settings of a resource',
  description: 'The type is `scenario`, `evalRun` or `conformanceRun`, followed by the ID.',
  command: 'shares get',
  response: Share,
});

export const updateShare = operation({
  summary: 'Change the share settings of a resource',
  description:
    'A shared run is readable by anyone with the link, without an account. `shared: false` revokes the link immediately; sharing again creates a new link. For a study, set `mode` instead.',
  command: 'shares update',
  method: 'PATCH',
  access: 'project admin',
  body: z
    .strictObject({
      expectedPolicyVersion: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe('Returns 409 if the settings have changed since.'),
      shared: z.boolean().optional(),
      expiresAt: Time.nullable().optional().describe('Expiry of the link. `null`: no expiry.'),
      rotate: z.boolean().optional().describe('Replaces the link with a new one.'),
      mode: Mode.optional().describe('Access mode of a study.'),
    })
    .refine(
      ({ expectedPolicyVersion: _, ...changes }) =>
        Object.values(changes).some((value) => value !== undefined),
      'Give at least one field to change',
    )
    .meta({ id: 'ShareUpdateRequest' }),
  example: { shared: true },
  response: Share,
  errors: ['CONFLICT'],
});
