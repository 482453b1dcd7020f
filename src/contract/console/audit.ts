import { z } from 'zod';
import { operationsIn } from '../operation.ts';
import { historyPage, pageOf, Time } from '../paging.ts';

const operation = operationsIn({
  area: 'Console',
  path: '/organizations/{organizationId}/audit-events',
  access: 'organization admin',
});

const filter = z.string().min(1).max(200).optional();
const moment = z.coerce.number().int().min(0).max(8_640_000_000_000).optional();

export const listAuditEvents = operation({
  summary: 'List audit events, newest first',
  query: z.object({
    action: filter.describe('For example `key.create`, or `key.*` for all actions on keys.'),
    actor: filter.describe('User ID, or `operator` for the command line.'),
    target: filter.describe('ID of the affected resource.'),
    projectId: filter,
    from: moment.describe('Epoch milliseconds, inclusive.'),
    to: moment.describe('Epoch milliseconds, exclusive.'),
    ...historyPage,
  }),
  response: pageOf(
    z.object({
      id: z.string(),
      at: Time,
      actor: z.object({
        id: z.string(),
        email: z.string().nullable().describe('`null` for a deleted account or the command line.'),
        name: z.string().nullable(),
      }),
      action: z.string(),
      target: z.string(),
      projectId: z.string().nullable(),
      requestId: z.string().nullable(),
      details: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('Affected resource, and its previous values.'),
    }),
    'AuditEventPage',
  ),
});
