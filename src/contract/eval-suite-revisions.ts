import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { pageOf, pageUpTo, Time } from './paging.ts';

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
    pinnedRunCount: z.number().int().describe('Number of runs that used this revision.'),
    pinnedRunCountCapped: z.boolean(),
  })
  .meta({ id: 'EvalSuiteRevision' });

export const listEvalSuiteRevisions = operation({
  summary: 'List the revisions of a suite',
  description: 'Newest first.',
  path: '/{suiteId}/revisions',
  query: z.object(pageUpTo(100, 25)),
  response: pageOf(Revision, 'EvalSuiteRevisionPage'),
});
