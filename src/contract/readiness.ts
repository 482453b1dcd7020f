import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { pageOf, pageUpTo, Time } from './paging.ts';
import { DeclaredArtifacts } from './readiness-declared.ts';

const operation = operationsIn({
  area: 'Directory readiness',
  path: '/projects/{projectId}/readiness-runs',
  access: 'project member',
});

export const ReadinessKind = z.enum(['claude', 'openai']).describe('Directory to check for.');
const SubmissionMode = z
  .enum(['mcp-only', 'mcp-imported-skills'])
  .describe('Whether skills of the server are part of the submission.');
const Status = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']);

export const ReadinessVerdict = z
  .enum(['ready', 'not-ready', 'incomplete'])
  .describe('`incomplete`: no violation so far, but a deciding requirement could not be evaluated.');

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
    missingInputs: z.array(z.string()).describe('Inputs required to evaluate the remaining findings.'),
  })
  .meta({ id: 'ReadinessLaneCoverage' });

const StageResult = z
  .object({
    stage: z.enum(['technical-preflight', 'submission-ready']),
    status: ReadinessVerdict,
    lanes: z.array(ReadinessLane).describe('Lanes that decide the verdict.'),
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
  .meta({ id: 'ReadinessObservationState', description: 'Status of the model observations.' });

const ReadinessRun = z
  .object({
    id: z.string(),
    readinessKind: ReadinessKind,
    serverId: z.string(),
    serverUrl: z.string().describe('Server URL at the start of the run, with query values redacted.'),
    submissionMode: SubmissionMode.nullable().describe('`null` for the Claude directory.'),
    status: Status,
    overallStatus: ReadinessVerdict.nullable().describe('`null` until the run is completed.'),
    lanes: z.array(LaneCoverage),
    stages: z.array(StageResult),
    authMode: z
      .enum(['headless', 'interactive', 'provided-token'])
      .nullable()
      .describe(
        'How the run authenticated: without credentials, with an OAuth grant of a user, or with saved headers.',
      ),
    capabilities: z.array(z.string()).describe('Capabilities available to the run.'),
    attemptCount: z.number().int(),
    terminalReason: z
      .string()
      .nullable()
      .describe('Reason code for the end of the run. `null` while it is in progress.'),
    errorMessage: z.string().nullable(),
    policySnapshotDate: z.string().describe('Date of the directory rules used.'),
    engineVersion: z.string(),
    sdkVersion: z.string(),
    includeLlmObservations: z.boolean(),
    llmObservations: ObservationState,
    hasReport: z.boolean(),
    reportUrl: z.string().nullable().describe('Path of the report, relative to the origin of the API.'),
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
    deduped: z.boolean().describe('Whether the run already existed for this key.'),
    includeLlmObservations: z.boolean(),
  })
  .meta({ id: 'ReadinessRunReceipt' });

export const ReadinessFinding = z
  .object({
    id: z.string().describe('Stable ID with the directory and the family of the check as prefix.'),
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
      .describe('Only `required` and `runtime-blocker` affect the verdict.'),
    status: z.enum(['satisfied', 'violated', 'not-evaluated', 'not-applicable', 'informational']),
    remediation: z.string().optional(),
    source: z.object({ page: z.string(), section: z.string(), policySnapshotDate: z.string() }),
    provenance: z
      .enum(['wire', 'browser', 'static', 'declared', 'manual', 'llm'])
      .describe('Source of the evidence.'),
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
    .describe(
      'Repeating the request with the same key for the same server and directory returns the first run.',
    ),
  includeLlmObservations: z
    .boolean()
    .default(false)
    .describe(
      'Lets a model review the tools and add observations. Advisory. Uses one unit of `insightsPerDay`.',
    ),
  allowSideEffects: z
    .boolean()
    .default(false)
    .describe(
      'Allows the run to register a client at the authorization server, and to call tools that need no arguments and are not marked as destructive.',
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
  summary: 'Check readiness for the Claude connectors directory',
  description:
    'Connects to the saved server in the background; poll the run. Read-only unless `allowSideEffects` is set. HTTP servers only. Limits per organization: 4 concurrent runs and 200 runs a day.',
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
  summary: 'Check readiness for the OpenAI plugin directory',
  description:
    'Works like the check for the Claude directory. With `mcp-imported-skills`, also checks the skills of the server.',
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
  description: 'Newest first.',
  query: z.object({
    readinessKind: ReadinessKind.optional(),
    serverId: z.string().min(1).max(128).optional(),
    ...pageUpTo(100, 50),
  }),
  response: pageOf(ReadinessRun, 'ReadinessRunPage'),
});

export const getReadinessRun = operation({
  summary: 'Read a readiness run',
  description: 'Poll until `status` is `completed`, `failed` or `cancelled`.',
  path: '/{readinessRunId}',
  response: ReadinessRun,
  budget: 'polls',
});

export const cancelReadinessRun = operation({
  summary: 'Cancel a readiness run',
  command: 'readiness-runs cancel',
  description: 'Returns 409 if the run has finished.',
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
  description: 'All findings with evidence, source and remedy. Returns 404 until the run is completed.',
  path: '/{readinessRunId}/report',
  response: ReadinessReport,
  bulky: true,
});
