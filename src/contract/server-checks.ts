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
  .describe('Unhealthy after two failed checks in a row, healthy with the first good one.');

const ServerChecks = z
  .object({
    serverId: z.string(),
    serverName: z.string(),
    everyMinutes: z.number().int(),
    enabled: z.boolean(),
    health,
    healthSince: Time.nullable(),
    checkedAt: Time.nullable().describe('When it was last looked at.'),
    nextCheckAt: Time.nullable(),
    pausedReason: z.string().nullable().describe('Why no checks are made though they are switched on.'),
    setByUserId: z.string().describe('On whose behalf the checks are made.'),
    updatedAt: Time,
  })
  .meta({ id: 'ServerChecks' });

const uptime = z.number().min(0).max(1).nullable().describe('Share of the checks that were good.');

const ServerHealth = ServerChecks.extend({
  uptime: z.object({ day: uptime, week: uptime, month: uptime }),
  averageMs: z.number().int().nullable().describe('What a good check took in the last day.'),
  strip: z
    .array(z.object({ from: Time, to: Time, ok: z.number().int(), failed: z.number().int() }))
    .describe('The asked-for hours in slots of the same length, the earliest first.'),
}).meta({ id: 'ServerHealth' });

export const listServerChecks = anywhere({
  area: 'Server diagnostics',
  summary: 'List the servers that are checked regularly',
  description: 'With their health.',
  command: 'server-checks list',
  method: 'GET',
  path: '/projects/{projectId}/server-checks',
  access: 'project member',
  query: z.object(lookupPage),
  status: 200,
  response: pageOf(ServerChecks, 'ServerChecksPage'),
});

export const getServerChecks = operation({
  summary: 'Read the health of a server over time',
  command: 'server-checks get',
  query: z.object({
    hours: z.coerce.number().int().min(1).max(2160).default(24).describe('How far the strip goes back.'),
  }),
  response: ServerHealth,
});

export const setServerChecks = operation({
  summary: 'Have a server checked regularly',
  description:
    'Does what `doctor` does every so many minutes, on behalf of whoever asks. Results are kept for 90 days. Webhooks are told of `server.unhealthy` and `server.healthy`.',
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
  summary: 'End the regular checks of a server',
  description: 'And forget their results.',
  command: 'server-checks delete',
  method: 'DELETE',
  response: z.object({ serverId: z.string(), deleted: z.literal(true) }).meta({ id: 'ServerChecksDeleted' }),
});

export const listServerCheckResults = operation({
  summary: 'List the regular checks of a server',
  description: 'The latest first.',
  command: 'server-checks results',
  path: '/results',
  query: z.object(historyPage),
  response: pageOf(
    z
      .object({
        id: z.string(),
        checkedAt: Time,
        ok: z.boolean(),
        status: z.string().describe('What the doctor said.'),
        durationMs: z.number().int(),
        failedCheck: z.string().nullable(),
        detail: z.string().nullable().describe('Why, and what to do.'),
      })
      .meta({ id: 'ServerCheckResult' }),
    'ServerCheckResultPage',
  ),
});
