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
    shared: z.boolean().describe('Whether the link lets anybody in now.'),
    mode: Mode.nullable().describe('Of a study. A run is shown to whoever has the link, or to nobody.'),
    policyVersion: z.number().int().describe('Counts the changes; send it back as `expectedPolicyVersion`.'),
    expiresAt: Time.nullable().describe('`null` for no end.'),
    link: z.object({ path: z.string(), url: z.string() }).nullable(),
    updatedAt: Time.nullable(),
  })
  .meta({ id: 'Share' });

export const getShare = operation({
  summary: 'Read whether something is shared by a link',
  description: '`scenario`, `evalRun` or `conformanceRun`, and its id.',
  command: 'shares get',
  response: Share,
});

export const updateShare = operation({
  summary: 'Share something by a link, or no longer',
  description:
    'Whoever has the link of a run reads how it went, without an account and without writing anything. `shared: false` ends it at once; shared again it gets a new link. A study takes `mode` instead.',
  command: 'shares update',
  method: 'PATCH',
  access: 'project admin',
  body: z
    .strictObject({
      expectedPolicyVersion: z.number().int().min(0).optional().describe('409 when it has changed since.'),
      shared: z.boolean().optional(),
      expiresAt: Time.nullable().optional().describe('After which nobody is let in; `null` for no end.'),
      rotate: z.boolean().optional().describe('A new link instead of the old one.'),
      mode: Mode.optional().describe('Of a study.'),
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
