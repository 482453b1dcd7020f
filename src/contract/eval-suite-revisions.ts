import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval suites',
  path: '/projects/{projectId}/eval-suites',
  access: 'project member',
});

const Revision = z
  .object({
    id: z.string(),
    revisionNumber: z.number().int(),
    source: z.enum(['ui', 'api', 'cli', 'file_sync', 'import', 'system', 'unattributed']),
    createdBy: z.string().nullable(),
    createdByName: z.string().nullable(),
    createdAt: Time,
    note: z.string().nullable(),
    changedFields: z.array(z.string()),
    revisionGroupId: z.string().nullable(),
    pinnedRunCount: z.number().int().describe('How many runs were made with it.'),
    pinnedRunCountCapped: z.boolean(),
  })
  .meta({ id: 'EvalSuiteRevision' });

export const listEvalSuiteRevisions = operation({
  summary: 'List how a suite has changed',
  description: 'The newest first.',
  path: '/{suiteId}/revisions',
  query: z.object({
    cursor: lookupPage.cursor,
    limit: z.coerce.number().int().min(1).max(100).default(25),
  }),
  response: pageOf(Revision, 'EvalSuiteRevisionPage'),
});
