import { z } from 'zod';
import { operationsIn } from '../operation.ts';
import { Time } from '../paging.ts';

const operation = operationsIn({ area: 'Console', path: '/installation', access: 'operator' });

const Queue = z.object({
  kind: z.string(),
  waiting: z.number().int(),
  running: z.number().int(),
  failed: z.number().int().nullable().describe('Given up within the last seven days. Null: not counted.'),
  oldestDueAt: Time.nullable().describe('Since when the longest waiting one could have begun.'),
});

export const getInstallation = operation({
  summary: 'Show how this installation is',
  response: z.object({
    version: z.string(),
    node: z.string(),
    startedAt: Time.describe('Of the process that answers.'),
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
      .describe('Processes that answer requests and share the database; empty where it is embedded.'),
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
      .describe('Jobs that were given up, newest first; 20 at most.'),
    blobs: z.object({
      place: z.string(),
      count: z.number().int(),
      bytes: z.number().int(),
      toRemove: z.number().int().describe('Files whose row is gone, and that will go too.'),
    }),
    models: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        provider: z.string(),
        state: z
          .enum(['ready', 'no key', 'paused'])
          .describe('`paused`: the provider asked for a pause, which ends at `pausedUntil`.'),
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
          name: z.string().describe('Of the environment variable.'),
          value: z.string().describe('In words; of a secret only whether there is one.'),
          secret: z.boolean(),
          meaning: z.string(),
        }),
      )
      .describe('Of the process that answers.'),
  }),
});
