import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { pageOf, Time } from './paging.ts';
import { DeclaredArtifacts } from './readiness-declared.ts';

const operation = operationsIn({
  area: 'Directory readiness',
  path: '/projects/{projectId}/readiness-runs',
  access: 'project member',
});

export const ReadinessKind = z.enum(['claude', 'openai']).describe('Of which directory.');
const SubmissionMode = z
  .enum(['mcp-only', 'mcp-imported-skills'])
  .describe('Whether skills of the server are submitted with it.');
const Status = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']);

export const ReadinessVerdict = z
  .enum(['ready', 'not-ready', 'incomplete'])
  .describe('`incomplete`: nothing is wrong so far, and something that decides could not be looked at.');

export const ReadinessLane = z.enum([
  'runtime-compatibility',
  'directory-policy',
  'optional-features',
  'submission-artifacts',
  'experience-insights',
  'plugin-package',
  'release-contract',
]);

const LaneCoverage = z
  .object({
    lane: ReadinessLane,
    status: ReadinessVerdict,
    evaluated: z.number().int().describe('Findings that are satisfied or violated.'),
    notEvaluated: z.number().int(),
    notApplicable: z.number().int(),
    missingInputs: z.array(z.string()).describe('What would let the rest be evaluated.'),
  })
  .meta({ id: 'ReadinessLaneCoverage' });

const StageResult = z
  .object({
    stage: z.enum(['technical-preflight', 'submission-ready']),
    status: ReadinessVerdict,
    lanes: z.array(ReadinessLane).describe('Those that decide about it.'),
  })
  .meta({ id: 'ReadinessStageResult' });

const ObservationState = z
  .object({
    status: z.enum([
      'not-requested',
      'pending',
      'completed',
      'billing-blocked',
      'provider-failed',
      'invalid-output',
    ]),
    reason: z
      .enum([
        'not_requested',
        'billing_limit_reached',
        'provider_error',
        'provider_timeout',
        'schema_invalid',
        'no_evidence',
        'cancelled',
      ])
      .optional(),
    detail: z.string().optional(),
  })
  .meta({ id: 'ReadinessObservationState', description: 'What became of the observations of a model.' });

const ReadinessRun = z
  .object({
    id: z.string(),
    readinessKind: ReadinessKind,
    serverId: z.string(),
    serverUrl: z.string().describe('When the run was started; values in its query are hidden.'),
    submissionMode: SubmissionMode.nullable().describe('`null` for the Claude directory, which has none.'),
    status: Status,
    overallStatus: ReadinessVerdict.nullable().describe('`null` until the run is completed.'),
    lanes: z.array(LaneCoverage),
    stages: z.array(StageResult),
    authMode: z
      .enum(['headless', 'interactive', 'provided-token'])
      .nullable()
      .describe(
        'How the server was reached: without credentials, with the grant of somebody who went through OAuth, or with saved headers.',
      ),
    capabilities: z.array(z.string()).describe('What the run had to work with.'),
    attemptCount: z.number().int(),
    terminalReason: z.string().nullable().describe('One word for why it is over; `null` until it is.'),
    errorMessage: z.string().nullable(),
    policySnapshotDate: z.string().describe('Of the rules of the directory that it is held against.'),
    engineVersion: z.string(),
    sdkVersion: z.string(),
    includeLlmObservations: z.boolean(),
    llmObservations: ObservationState,
    hasReport: z.boolean(),
    reportUrl: z.string().nullable().describe('Path of the report, below the origin of the API.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'ReadinessRun' });

const Receipt = z
  .object({
    runId: z.string(),
    projectId: z.string(),
    serverId: z.string(),
    readinessKind: ReadinessKind,
    status: Status,
    deduped: z.boolean().describe('The key has started this run before.'),
    includeLlmObservations: z.boolean(),
  })
  .meta({ id: 'ReadinessRunReceipt' });

export const ReadinessFinding = z
  .object({
    id: z.string().describe('Stable; begins with the directory and the family of the check.'),
    title: z.string(),
    lane: ReadinessLane,
    class: z
      .enum([
        'required',
        'runtime-blocker',
        'recommended',
        'experimental-feature',
        'manual-review',
        'heuristic',
      ])
      .describe('Only `required` and `runtime-blocker` decide.'),
    status: z.enum(['satisfied', 'violated', 'not-evaluated', 'not-applicable', 'informational']),
    remediation: z.string().optional(),
    source: z.object({ page: z.string(), section: z.string(), policySnapshotDate: z.string() }),
    provenance: z
      .enum(['wire', 'browser', 'static', 'declared', 'manual', 'llm'])
      .describe('Where the evidence is from.'),
    intrusiveness: z.enum(['passive', 'read-only', 'side-effecting']),
    requiresCapabilities: z.array(z.string()).optional(),
    notEvaluatedReason: z.string().optional(),
    missingInputs: z.array(z.string()).optional(),
    evaluatedAt: Time,
    engineVersion: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    derivedFrom: z.array(z.string()).optional(),
  })
  .meta({ id: 'ReadinessFinding' });

const ReadinessReport = z
  .looseObject({
    runId: z.string(),
    readinessKind: ReadinessKind,
    serverId: z.string(),
    serverUrl: z.string(),
    submissionMode: SubmissionMode.nullable(),
    overallStatus: ReadinessVerdict,
    lanes: z.array(LaneCoverage),
    stages: z.array(StageResult),
    findings: z.array(ReadinessFinding),
    authMode: z.enum(['headless', 'interactive', 'provided-token']),
    capabilities: z.array(z.string()),
    allowSideEffects: z.boolean(),
    policySnapshotDate: z.string(),
    engineVersion: z.string(),
    sdkVersion: z.string(),
    generatedAt: Time,
  })
  .meta({ id: 'ReadinessReport' });

const startFields = {
  idempotencyKey: z
    .string()
    .max(200)
    .optional()
    .describe('A repetition for the same server and directory answers with the run that is there already.'),
  includeLlmObservations: z
    .boolean()
    .default(false)
    .describe(
      'Has a model read the tools and add what it notices. It decides nothing, and takes one unit of `insightsPerDay`.',
    ),
  allowSideEffects: z
    .boolean()
    .default(false)
    .describe(
      'Also registers a client at the authorization server, and calls tools that need no arguments and are not marked as destructive.',
    ),
  declared: DeclaredArtifacts.optional(),
};

const inServer = operationsIn({
  area: 'Directory readiness',
  path: '/projects/{projectId}/servers/{serverId}/readiness-runs',
  access: 'project member',
});

export const startClaudeReadinessRun = inServer({
  command: 'readiness-runs start-claude',
  summary: 'Check whether a server is ready for the Claude connectors directory',
  description:
    'Talks to the server with what is saved for it, in the background; poll the run. Only reads, unless `allowSideEffects` is sent. Only servers over HTTP. An organization may have 4 runs under way and start 200 a day.',
  method: 'POST',
  path: '/claude',
  body: z.strictObject(startFields).meta({ id: 'ClaudeReadinessRunRequest' }),
  example: { declared: { privacyPolicyUrl: 'https://weather.example.com/privacy' } },
  status: 202,
  response: Receipt,
  idempotency: 'verb',
  callsTools: true,
  spends: true,
});

export const startOpenAIReadinessRun = inServer({
  command: 'readiness-runs start-openai',
  summary: 'Check whether a server is ready for the OpenAI plugin directory',
  description:
    'Like the one for Claude. With `mcp-imported-skills` the skills of the server are looked at too.',
  method: 'POST',
  path: '/openai',
  body: z
    .strictObject({ submissionMode: SubmissionMode, ...startFields })
    .meta({ id: 'OpenAIReadinessRunRequest' }),
  example: { submissionMode: 'mcp-only' },
  status: 202,
  response: Receipt,
  idempotency: 'verb',
  callsTools: true,
  spends: true,
});

export const listReadinessRuns = operation({
  summary: "List a project's readiness runs",
  description: 'The latest first.',
  query: z.object({
    readinessKind: ReadinessKind.optional(),
    serverId: z.string().min(1).max(128).optional(),
    cursor: z
      .string()
      .max(2048)
      .optional()
      .describe('`nextCursor` of the page before. It belongs to the same filters.'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe('How many items a page holds at most; 50 when left out.'),
  }),
  response: pageOf(ReadinessRun, 'ReadinessRunPage'),
});

export const getReadinessRun = operation({
  summary: 'Get a readiness run',
  description: 'Poll it until `status` is `completed`, `failed` or `cancelled`.',
  path: '/{readinessRunId}',
  response: ReadinessRun,
  budget: 'polls',
});

export const cancelReadinessRun = operation({
  summary: 'Cancel a readiness run',
  command: 'readiness-runs cancel',
  description: '409 when it is over already.',
  method: 'POST',
  path: '/{readinessRunId}/cancel',
  response: z
    .object({ runId: z.string(), projectId: z.string(), status: z.literal('cancelled') })
    .meta({ id: 'ReadinessRunCancelled' }),
  errors: ['CONFLICT'],
});

export const getReadinessReport = operation({
  summary: 'Read the report of a readiness run',
  command: 'readiness-runs report',
  description:
    'Every finding with its evidence, its source and what to do about it. 404 until the run is completed.',
  path: '/{readinessRunId}/report',
  response: ReadinessReport,
  bulky: true,
});
