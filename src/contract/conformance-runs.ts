import { z } from 'zod';
import { Outcome, SuiteKind } from './conformance-ingest.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';

const project = '/projects/{projectId}';
const operation = operationsIn({ area: 'Conformance runs', path: project, access: 'project member' });

const count = z.number().int().min(0);
const score = z
  .number()
  .nullable()
  .describe('Of the checks that passed or failed, the share that passed, from 0 to 100; `null` for none.');
const pending = count.describe('Checks that were reported and count neither as passed nor as failed.');

const Suite = z
  .object({
    suiteKind: SuiteKind,
    status: z.enum(['pending', 'running', 'completed']).describe('`completed` once it has a report.'),
    outcome: Outcome.nullable(),
    incompleteReason: z.string().optional(),
    score,
    profileId: z.string().optional().describe('What was checked, like the revision of the protocol.'),
    passed: count,
    failed: count,
    skipped: count,
    pending,
    totalCases: count,
    durationMs: count.nullable(),
  })
  .meta({ id: 'ConformanceSuite' });

const Status = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']);

const Run = z
  .looseObject({
    id: z.string(),
    projectId: z.string(),
    serverId: z.string().nullable().describe('The saved server, if it was one and is still there.'),
    hosted: z.boolean().describe('Whether it runs here, or was reported from elsewhere.'),
    source: z.string(),
    target: z.looseObject({ kind: z.string() }),
    requestedSuites: z.array(SuiteKind),
    protocolVersion: z.string().nullable(),
    engineVersion: z.string().nullable(),
    actorLabel: z.string().nullable(),
    ci: z.looseObject({}).nullable(),
    externalRunId: z.string().nullable(),
    status: Status.describe('How far it is. `completed` says nothing about how it went.'),
    outcome: Outcome.nullable().describe('How it went; `null` until it is over.'),
    score,
    passed: count,
    failed: count,
    skipped: count,
    pending,
    reason: z
      .string()
      .nullable()
      .describe(
        'Why it ended early: `silent`, `cancelled`, `server_deleted`, `not_allowed` or `internal_error`.',
      ),
    suites: z.array(Suite),
    createdAt: Time,
    startedAt: Time.nullable(),
    completedAt: Time.nullable(),
  })
  .meta({ id: 'ConformanceRun' });

const Check = z
  .object({
    suiteKind: SuiteKind,
    groupId: z.string(),
    groupTitle: z.string().nullable(),
    id: z.string(),
    title: z.string().nullable(),
    category: z.string().nullable(),
    status: z.enum(['failed', 'skipped']).describe('`skipped`: it could not run.'),
    pending: z.boolean(),
    skipReason: z.string().nullable(),
    error: z.string().nullable(),
    durationMs: z.number().nullable(),
  })
  .meta({ id: 'ConformanceCheck' });

export const startConformanceRun = operation({
  command: 'conformance-runs start',
  summary: 'Check how well a saved server follows the protocol',
  description:
    'Runs the checks here, against the server as it is saved, and answers at once; poll the run. Servers over HTTP only. At most two run at once in an organization, others wait. Tools of the server are not called unless they say that they only read. The same `idempotencyKey` for the same server answers with the first run.',
  method: 'POST',
  path: '/servers/{serverId}/conformance-runs',
  body: z
    .strictObject({
      suites: z
        .array(SuiteKind)
        .min(1)
        .max(4)
        .refine((kinds) => new Set(kinds).size === kinds.length, { message: 'Name each suite once' })
        .optional()
        .describe('`protocol`, `apps` and `tasks`; all three when left out.'),
      idempotencyKey: z.string().min(1).max(200).optional(),
      protocolVersion: z
        .string()
        .max(100)
        .optional()
        .describe('The revision to grade; left out, the one that the server and we agree on.'),
      engineVersion: z
        .string()
        .max(200)
        .optional()
        .describe('The version of the official suite; there is one.'),
    })
    .meta({ id: 'ConformanceRunStartRequest' }),
  example: { suites: ['apps'] },
  status: 202,
  callsTools: true,
  idempotency: 'verb',
  response: z
    .object({
      runId: z.string(),
      projectId: z.string(),
      serverId: z.string(),
      status: z.string(),
      deduped: z.boolean().describe('Whether the key had made this run already.'),
      requestedSuites: z.array(SuiteKind),
    })
    .meta({ id: 'ConformanceRunStarted' }),
  errors: ['SERVER_UNREACHABLE', 'CONFLICT'],
});

export const listConformanceRuns = operation({
  summary: 'List conformance runs',
  description: 'The latest first.',
  path: '/conformance-runs',
  query: z.object({
    cursor: historyPage.cursor,
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe('How many items a page holds at most.'),
    serverId: z.string().max(128).optional().describe('Of one saved server.'),
  }),
  response: pageOf(Run, 'ConformanceRunPage'),
});

export const getConformanceRun = operation({
  summary: 'Read a conformance run',
  description: 'While it goes on, `suites` says which have their report.',
  path: '/conformance-runs/{conformanceRunId}',
  response: Run,
  budget: 'polls',
});

export const getConformanceReport = operation({
  summary: 'Read which checks of a conformance run failed',
  description: 'Those that failed first, then those that could not run; 50 of them at most.',
  command: 'conformance-runs report',
  path: '/conformance-runs/{conformanceRunId}/report',
  response: z
    .looseObject({
      runId: z.string(),
      projectId: z.string(),
      status: Status,
      outcome: Outcome.nullable(),
      score,
      suites: z.array(Suite),
      checks: z.array(Check),
      totalCases: count.describe('All checks, those that passed too.'),
      totalFailingCases: count.describe('As many would be in `checks` if there were no bound.'),
      truncated: z.boolean(),
      pending,
    })
    .meta({ id: 'ConformanceFailures' }),
  errors: ['SERVER_UNREACHABLE'],
});

export const cancelConformanceRun = operation({
  summary: 'Stop a conformance run',
  description: 'One that runs here and is not over. The reports it has are kept.',
  command: 'conformance-runs cancel',
  method: 'POST',
  path: '/conformance-runs/{conformanceRunId}/cancel',
  response: Run,
  errors: ['CONFLICT'],
});
