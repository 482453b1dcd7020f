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
  summary: 'List who did what, newest first',
  query: z.object({
    action: filter.describe('Like `key.create`, or `key.*` for all of keys.'),
    actor: filter.describe('Id of a user, or `operator` for the command line.'),
    target: filter.describe('Id of what it was done to.'),
    projectId: filter,
    from: moment.describe('Epoch milliseconds, included.'),
    to: moment.describe('Epoch milliseconds, not included.'),
    ...historyPage,
  }),
  response: pageOf(
    z.object({
      id: z.string(),
      at: Time,
      actor: z.object({
        id: z.string(),
        email: z.string().nullable().describe('Null when the account is gone, or it was the command line.'),
        name: z.string().nullable(),
      }),
      action: z.string(),
      target: z.string(),
      projectId: z.string().nullable(),
      requestId: z.string().nullable(),
      details: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('Who or what it was about, and what it was before.'),
    }),
    'AuditEventPage',
  ),
});
