import { z } from 'zod';
import { Outcome, SuiteKind } from './conformance-ingest.ts';
import { count } from './fields.ts';
import { operationsIn } from './operation.ts';
import { pageOf, pageUpTo, Time } from './paging.ts';

const project = '/projects/{projectId}';
const operation = operationsIn({ area: 'Conformance runs', path: project, access: 'project member' });

const score = z
  .number()
  .nullable()
  .describe('Share of passed checks among passed and failed ones, from 0 to 100. `null` if there are none.');
const pending = count.describe('Checks that count neither as passed nor as failed.');

const Suite = z
  .object({
    suiteKind: SuiteKind,
    status: z.enum(['pending', 'running', 'completed']).describe('`completed` once the suite has a report.'),
    outcome: Outcome.nullable(),
    incompleteReason: z.string().optional(),
    score,
    profileId: z.string().optional().describe('Subject of the checks, for example the protocol revision.'),
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
    serverId: z.string().nullable().describe('Saved server, if there was one and it still exists.'),
    hosted: z.boolean().describe('`true` if the service runs the checks, `false` if the run was reported.'),
    source: z.string(),
    target: z.looseObject({ kind: z.string() }),
    requestedSuites: z.array(SuiteKind),
    protocolVersion: z.string().nullable(),
    engineVersion: z.string().nullable(),
    actorLabel: z.string().nullable(),
    ci: z.looseObject({}).nullable(),
    externalRunId: z.string().nullable(),
    status: Status.describe('Progress of the run. `outcome` has the result.'),
    outcome: Outcome.nullable().describe('Result; `null` until the run has finished.'),
    score,
    passed: count,
    failed: count,
    skipped: count,
    pending,
    reason: z
      .string()
      .nullable()
      .describe(
        'Reason if the run ended early: `silent`, `cancelled`, `server_deleted`, `not_allowed` or `internal_error`.',
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
    status: z.enum(['failed', 'skipped']).describe('`skipped`: the check could not run.'),
    pending: z.boolean(),
    skipReason: z.string().nullable(),
    error: z.string().nullable(),
    durationMs: z.number().nullable(),
  })
  .meta({ id: 'ConformanceCheck' });

export const startConformanceRun = operation({
  command: 'conformance-runs start',
  summary: 'Run conformance checks',
  description:
    'Starts the checks against the saved server and returns immediately; poll the run. HTTP servers only. Each organization has two concurrent runs; others are queued. Only tools that declare `readOnlyHint` are called. Repeating the request with the same `idempotencyKey` for the same server returns the first run.',
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
        .describe('Any of `protocol`, `apps` and `tasks`. Default: all three.'),
      idempotencyKey: z.string().min(1).max(200).optional(),
      protocolVersion: z
        .string()
        .max(100)
        .optional()
        .describe('Protocol revision to check. Default: the negotiated revision.'),
      engineVersion: z
        .string()
        .max(200)
        .optional()
        .describe('Version of the official suite. Only one is available.'),
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
      deduped: z.boolean().describe('Whether the run already existed for this key.'),
      requestedSuites: z.array(SuiteKind),
    })
    .meta({ id: 'ConformanceRunStarted' }),
  errors: ['SERVER_UNREACHABLE', 'CONFLICT'],
});

export const listConformanceRuns = operation({
  summary: 'List conformance runs',
  description: 'Newest first.',
  path: '/conformance-runs',
  query: z.object({
    ...pageUpTo(100, 50),
    serverId: z.string().max(128).optional().describe('Only runs of this saved server.'),
  }),
  response: pageOf(Run, 'ConformanceRunPage'),
});

export const getConformanceRun = operation({
  summary: 'Read a conformance run',
  description: 'While the run is in progress, `suites` shows which suites have a report.',
  path: '/conformance-runs/{conformanceRunId}',
  response: Run,
  budget: 'polls',
});

export const getConformanceReport = operation({
  summary: 'Read the failed checks of a conformance run',
  description: 'Failed checks first, then checks that could not run; 50 at most.',
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
      totalCases: count.describe('All checks, including passed ones.'),
      totalFailingCases: count.describe(
        'Number of failed and skipped checks, including those beyond the limit of `checks`.',
      ),
      truncated: z.boolean(),
      pending,
    })
    .meta({ id: 'ConformanceFailures' }),
  errors: ['SERVER_UNREACHABLE'],
});

export const cancelConformanceRun = operation({
  summary: 'Cancel a conformance run',
  description: 'For runs in progress on this service. Finished reports are kept.',
  command: 'conformance-runs cancel',
  method: 'POST',
  path: '/conformance-runs/{conformanceRunId}/cancel',
  response: Run,
  errors: ['CONFLICT'],
});
