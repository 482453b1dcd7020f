import { z } from 'zod';
import { operationsIn } from '../operation.ts';
import { Time } from '../paging.ts';

const operation = operationsIn({ area: 'Console', path: '/installation', access: 'operator' });

const Queue = z.object({
  kind: z.string(),
  waiting: z.number().int(),
  running: z.number().int(),
  failed: z
    .number()
    .int()
    .nullable()
    .describe('Jobs that failed permanently in the last seven days. `null`: not counted.'),
  oldestDueAt: Time.nullable().describe('Due time of the job that has waited longest.'),
});

export const getInstallation = operation({
  summary: 'Read the status of this installation',
  response: z.object({
    version: z.string(),
    node: z.string(),
    startedAt: Time.describe('Process that answers the request.'),
    publicUrl: z.string(),
    database: z.object({
      version: z.string(),
      embedded: z.boolean(),
      bytes: z.number().int(),
      connections: z.object({
        total: z.number().int(),
        idle: z.number().int(),
        waiting: z.number().int(),
        most: z.number().int(),
      }),
    }),
    replicas: z
      .array(
        z.object({
          id: z.string(),
          role: z.string().nullable(),
          version: z.string().nullable(),
          seenAt: Time,
        }),
      )
      .describe('Processes that share the database. Empty if the database is embedded.'),
    queues: z.array(Queue).describe('Jobs by kind, and trials of eval runs.'),
    failures: z
      .array(
        z.object({
          id: z.string(),
          kind: z.string(),
          error: z.string().nullable(),
          attempts: z.number().int(),
          failedAt: Time,
        }),
      )
      .describe('Permanently failed jobs, newest first. Up to 20.'),
    blobs: z.object({
      place: z.string(),
      count: z.number().int(),
      bytes: z.number().int(),
      toRemove: z.number().int().describe('Orphaned files that will be removed.'),
    }),
    models: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        provider: z.string(),
        state: z
          .enum(['ready', 'no key', 'paused'])
          .describe('`paused`: the provider requested a pause until `pausedUntil`.'),
        pausedUntil: Time.nullable(),
      }),
    ),
    people: z.object({
      users: z.number().int(),
      organizations: z.number().int(),
      sessions: z.number().int(),
    }),
    settings: z
      .array(
        z.object({
          name: z.string().describe('Name of the environment variable.'),
          value: z.string().describe('Value as text. For a secret, only whether it is set.'),
          secret: z.boolean(),
          meaning: z.string(),
        }),
      )
      .describe('Process that answers the request.'),
  }),
});
