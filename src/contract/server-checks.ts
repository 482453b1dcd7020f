import { z } from 'zod';
import { operation as anywhere, operationsIn } from './operation.ts';
import { historyPage, lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Server diagnostics',
  path: '/projects/{projectId}/servers/{serverId}/checks',
  access: 'project member',
});

const health = z
  .enum(['unknown', 'healthy', 'unhealthy'])
  .describe('Unhealthy after two consecutive failed checks, healthy after the next passed one.');

const ServerChecks = z
  .object({
    serverId: z.string(),
    serverName: z.string(),
    everyMinutes: z.number().int(),
    enabled: z.boolean(),
    health,
    healthSince: Time.nullable(),
    checkedAt: Time.nullable().describe('Time of the last check.'),
    nextCheckAt: Time.nullable(),
    pausedReason: z.string().nullable().describe('Why scheduled checks are paused.'),
    setByUserId: z.string().describe('User that checks act as.'),
    updatedAt: Time,
  })
  .meta({ id: 'ServerChecks' });

const uptime = z.number().min(0).max(1).nullable().describe('Share of passed checks.');

const ServerHealth = ServerChecks.extend({
  uptime: z.object({ day: uptime, week: uptime, month: uptime }),
  averageMs: z.number().int().nullable().describe('Average duration of passed checks in the last 24 hours.'),
  strip: z
    .array(z.object({ from: Time, to: Time, ok: z.number().int(), failed: z.number().int() }))
    .describe('The requested period in slots of equal length, oldest first.'),
}).meta({ id: 'ServerHealth' });

export const listServerChecks = anywhere({
  area: 'Server diagnostics',
  summary: 'List servers with scheduled checks',
  description: 'Includes the health of each server.',
  command: 'server-checks list',
  method: 'GET',
  path: '/projects/{projectId}/server-checks',
  access: 'project member',
  query: z.object(lookupPage),
  status: 200,
  response: pageOf(ServerChecks, 'ServerChecksPage'),
});

export const getServerChecks = operation({
  summary: 'Read the health of a server',
  command: 'server-checks get',
  query: z.object({
    hours: z.coerce.number().int().min(1).max(2160).default(24).describe('Length of the history.'),
  }),
  response: ServerHealth,
});

export const setServerChecks = operation({
  summary: 'Schedule checks of a server',
  description:
    'Runs `doctor` at a fixed interval, on behalf of the caller. Results are kept for 90 days. Changes of health send the webhook events `server.unhealthy` and `server.healthy`.',
  command: 'server-checks set',
  method: 'PUT',
  body: z
    .strictObject({
      everyMinutes: z.number().int().min(1).max(1440).default(5),
      enabled: z.boolean().default(true),
    })
    .meta({ id: 'ServerChecksRequest' }),
  example: { everyMinutes: 5 },
  response: ServerChecks,
  errors: ['CONFLICT'],
});

export const deleteServerChecks = operation({
  summary: 'Stop the scheduled checks of a server',
  description: 'Also deletes their results.',
  command: 'server-checks delete',
  method: 'DELETE',
  response: z.object({ serverId: z.string(), deleted: z.literal(true) }).meta({ id: 'ServerChecksDeleted' }),
});

export const listServerCheckResults = operation({
  summary: 'List the check results of a server',
  description: 'Newest first.',
  command: 'server-checks results',
  path: '/results',
  query: z.object(historyPage),
  response: pageOf(
    z
      .object({
        id: z.string(),
        checkedAt: Time,
        ok: z.boolean(),
        status: z.string().describe('Result of the doctor.'),
        durationMs: z.number().int(),
        failedCheck: z.string().nullable(),
        detail: z.string().nullable().describe('Cause and remedy.'),
      })
      .meta({ id: 'ServerCheckResult' }),
    'ServerCheckResultPage',
  ),
});
