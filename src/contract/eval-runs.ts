import { z } from 'zod';
import { InlineCase } from './eval-cases.ts';
import { MatchOptions } from './eval-checks.ts';
import { caseUpsert, namedServers, PassCriteria, SuiteHosts } from './eval-suites.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { operation, operationsIn } from './operation.ts';
import { Time } from './paging.ts';
import { Name } from './text.ts';

const area = { area: 'Eval runs', access: 'project member' } as const;
const ofRuns = operationsIn({ ...area, path: '/projects/{projectId}/eval-runs' });

const id = z.string().min(1).max(128);
const open = z.record(z.string(), z.unknown());
const names = z.array(z.string().trim().min(1).max(200)).max(100);

/** Compact JSON in a header; what is malformed is dropped, for it is only a label. */
function label(most: number, fields: readonly string[]) {
  return z
    .string()
    .optional()
    .transform((text) => readLabel(text, most, fields));
}

function readLabel(
  text: string | undefined,
  most: number,
  fields: readonly string[],
): Record<string, string> | undefined {
  if (text === undefined || text.length > most) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const kept = Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
      fields.includes(name) && typeof inner === 'string' && inner !== '' ? [[name, inner] as const] : [],
    );
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  } catch {
    return undefined;
  }
}

const launchHeaders = {
  ...vocabulary,
  headers: vocabulary.headers.extend({
    'x-mcpjam-launcher': label(512, ['kind', 'client', 'version']).describe(
      'Who launches: compact JSON with kind (cli, mcp, github_action), client, version.',
    ),
    'x-mcpjam-ci': label(2048, [
      'provider',
      'pipelineId',
      'runId',
      'jobId',
      'job',
      'runUrl',
      'branch',
      'commitSha',
    ]).describe(
      'Where it is launched: compact JSON with provider, pipelineId, jobId, runUrl, branch, commitSha.',
    ),
  }),
} as const;

const modelKey = z.string().min(1).max(2000);

/** What a run may be told, whether it is one or one of a group. */
const launch = {
  iterationOverride: z.number().int().min(1).max(10).optional(),
  caseIds: z.array(id).min(1).max(500).optional(),
  matchOptionsOverride: MatchOptions.optional(),
  skillsOverride: z.literal('exclude').optional(),
  notes: z.string().max(5000).optional(),
  passCriteria: PassCriteria.optional(),
  ephemeralEnvironment: z
    .boolean()
    .optional()
    .describe('Allows an environment of the project that is not attached to the suite.'),
  modelApiKeys: z
    .record(z.string().min(1).max(100), modelKey)
    .refine((keys) => Object.keys(keys).length <= 20, 'Takes keys of at most 20 providers')
    .optional()
    .describe('Keys of your own, by provider. Held sealed for this run and gone when it ends.'),
  importApprovals: z
    .array(z.strictObject({ testCaseId: id, reason: z.string().trim().min(1).max(500) }))
    .min(1)
    .max(500)
    .optional(),
  idempotencyKey: z.string().max(256).optional(),
};

const RunCreateRequest = z
  .strictObject({
    suiteId: id.optional(),
    suiteName: Name.optional(),
    suiteDescription: z.string().max(5000).optional(),
    tests: z.array(InlineCase).min(1).max(100).optional(),
    serverIds: z.array(id).min(1).max(100).optional(),
    serverNames: names.optional(),
    environmentId: id.optional(),
    namedHostId: id.optional(),
    hosts: SuiteHosts.optional(),
    model: z.string().trim().min(1).max(300).optional(),
    provider: z.string().trim().min(1).max(100).optional(),
    suiteRerun: z.boolean().optional(),
    refreshSnapshot: z.boolean().optional(),
    runGroupId: id.optional(),
    sourceHash: z
      .string()
      .regex(/^[a-f0-9]{64}$/, 'Must be a SHA-256 in hex')
      .optional(),
    ...launch,
  })
  .meta({ id: 'EvalRunCreateRequest' });

const RunEnvironment = z
  .object({ id: z.string(), name: z.string().nullable(), revision: z.number().int() })
  .nullable()
  .describe('As it was when the run was launched; `null` when the run used a selection of servers.');

const status = z.enum(['pending', 'running', 'grading', 'completed', 'failed', 'cancelled', 'timed_out']);

export const createEvalRun = ofRuns({
  summary: 'Start a run',
  description:
    'Of a saved suite, as it is configured or with overrides; or of `tests` in the request, which are stored in the suite. Answers at once: poll the run, or follow its events.',
  method: 'POST',
  ...launchHeaders,
  idempotency: 'verb',
  spends: true,
  body: RunCreateRequest,
  example: { suiteId: '{suiteId}' },
  status: 202,
  response: z
    .object({
      runId: z.string(),
      suiteId: z.string(),
      status,
      deduped: z.literal(true).optional(),
      runGroupId: z.string().optional(),
      servers: namedServers,
      caseUpsert,
      environment: RunEnvironment,
    })
    .meta({ id: 'EvalRunCreated' }),
  errors: [
    'CONFLICT',
    'SERVER_UNREACHABLE',
    'TIMEOUT',
    'OAUTH_REQUIRED',
    'FORBIDDEN',
    'FEATURE_NOT_SUPPORTED',
  ],
});

/** How many runs a group has at most, which then count as one. */
export const mostTargets = 10;

const target = z
  .strictObject({ environmentId: id.optional(), namedHostId: id.optional() })
  .refine(
    ({ environmentId, namedHostId }) => (environmentId === undefined) !== (namedHostId === undefined),
    'Give exactly one of environmentId and namedHostId',
  );

export const createEvalRunGroup = operation({
  ...area,
  summary: 'Run a suite against several targets',
  description: 'All targets are checked before the first run starts. The group counts as one concurrent run.',
  method: 'POST',
  path: '/projects/{projectId}/eval-run-groups',
  ...launchHeaders,
  idempotency: 'verb',
  spends: true,
  body: z
    .strictObject({ suiteId: id, targets: z.array(target).min(1).max(mostTargets), ...launch })
    .meta({ id: 'EvalRunGroupCreateRequest' }),
  example: {
    suiteId: '{suiteId}',
    targets: [{ environmentId: '{environmentId}' }],
    ephemeralEnvironment: true,
  },
  status: 202,
  response: z
    .object({
      runGroupId: z.string(),
      suiteId: z.string(),
      outcome: z.enum(['started', 'partial', 'failed']),
      startedCount: z.number().int(),
      failedCount: z.number().int(),
      targets: z.array(
        z.object({
          target: z.object({
            environmentId: z.string().optional(),
            namedHostId: z.string().optional(),
            name: z.string().optional(),
          }),
          status: z.enum(['started', 'failed']),
          runId: z.string().optional(),
          runStatus: status.optional(),
          deduped: z.literal(true).optional(),
          servers: namedServers.optional(),
          environment: RunEnvironment.optional(),
          caseUpsert: caseUpsert.optional(),
          error: z.object({ code: z.string(), message: z.string() }).optional(),
        }),
      ),
      runId: z.string().optional(),
      status: status.optional(),
      servers: namedServers.optional(),
      environment: RunEnvironment.optional(),
      caseUpsert: caseUpsert.optional(),
    })
    .meta({ id: 'EvalRunGroupCreated' }),
  errors: [
    'CONFLICT',
    'SERVER_UNREACHABLE',
    'TIMEOUT',
    'OAUTH_REQUIRED',
    'FORBIDDEN',
    'FEATURE_NOT_SUPPORTED',
  ],
});

const interval = z.object({ lower: z.number(), upper: z.number() }).describe('Wilson interval at 95 %.');

const rate = z.object({
  passed: z.number().int(),
  trials: z.number().int(),
  rate: z.number().nullable(),
  interval: interval.nullable(),
});

const Statistics = z
  .object({
    confidence: z.literal(0.95),
    trials: rate.describe('Over all trials that could be judged.'),
    cases: z.array(
      z.object({
        caseId: z.string(),
        title: z.string(),
        model: z.string(),
        provider: z.string(),
        ...rate.shape,
        threshold: z.number(),
        flaky: z.boolean().describe('Passed and failed under the same conditions.'),
        passAtK: z.array(z.object({ k: z.number().int(), value: z.number() })),
        passHatK: z.array(z.object({ k: z.number().int(), value: z.number() })),
        trialsToSettle: z
          .number()
          .int()
          .nullable()
          .describe(
            'About how many more trials would put the whole interval on one side of the threshold; 0 when it is.',
          ),
      }),
    ),
    flakyCases: z.array(z.string()),
  })
  .meta({ id: 'EvalRunStatistics' });

const count = z.number().int().min(0);
const DecisionSummary = z
  .object({
    schemaVersion: z.literal(1),
    runId: z.string(),
    runStatus: z.string(),
    verdict: z.enum(['passed', 'failed', 'inconclusive', 'notEstablished']),
    verdictSource: z.enum(['policyV2', 'legacy', 'none']),
    counts: z
      .object({
        measurementUnit: z.enum(['caseVariant', 'trial']),
        total: count.optional(),
        passed: count.optional(),
        failed: count.optional(),
        inconclusive: count.optional(),
      })
      .optional(),
    decision: open.optional(),
    undecided: z.object({ reason: z.string(), detail: z.string().optional() }).optional(),
    diagnostics: z.object({
      items: z.array(
        z.looseObject({
          iterationId: z.string(),
          iterationNumber: count,
          status: z.string(),
          chain: open,
          evidence: z.looseObject({ runId: z.string(), iterationId: z.string(), tracePath: z.string() }),
          nextAction: z.string(),
        }),
      ),
      complete: z.boolean(),
      scannedIterations: count,
      nextCursor: z.string().optional(),
    }),
  })
  .meta({ id: 'EvalRunDecisionSummary' });

const runFields = {
  id: z.string(),
  suiteId: z.string(),
  runNumber: z.number().int(),
  status,
  result: z.enum(['passed', 'failed', 'inconclusive']).nullable(),
  stopReason: z.string().optional().describe('Why it ended before its trials did.'),
  error: z.string().optional(),
  summary: z
    .object({
      total: z.number().int(),
      passed: z.number().int(),
      failed: z.number().int(),
      passRate: z.number(),
    })
    .nullable(),
  progress: z.object({ trials: z.number().int(), finished: z.number().int(), running: z.number().int() }),
  source: z.enum(['ui', 'api', 'sdk', 'schedule', 'github_check', 'benchmark']),
  notes: z.string().nullable(),
  environment: RunEnvironment,
  client: z
    .object({
      id: z.string().nullable(),
      name: z.string(),
      source: z.string(),
      modelId: z.string().optional(),
    })
    .optional(),
  launcher: open.optional(),
  ciMetadata: open.optional(),
  attribution: z.object({ surface: z.string(), apiKeyId: z.string().optional() }),
  executionEngine: z.literal('emulated'),
  scoreIntegrity: z.enum(['valid', 'invalid']).nullable(),
  verdictPolicyVersion: z.literal(2).optional(),
  runGroupId: z.string().optional(),
  effectiveModelId: z.string().optional(),
  modelSource: z.enum(['client_default', 'override', 'case']).optional(),
  suiteRevision: z.number().int(),
  createdAt: Time,
  startedAt: Time.nullable(),
  completedAt: Time.nullable(),
};

export const EvalRun = z.object(runFields).meta({ id: 'EvalRun' });

const judge = z.object({
  status: z.enum(['pending', 'completed', 'failed']).nullable(),
  errorCode: z.string().nullable(),
  summary: z.string().nullable(),
  generatedAt: Time.nullable(),
  modelUsed: z.string().nullable(),
  threshold: z.number().nullable(),
  cases: z.array(open),
});

export const EvalRunDetail = z
  .object({
    ...runFields,
    decision: open
      .nullable()
      .describe("The run's own verdict, which is the authority; `null` until there is one."),
    decisionSummary: DecisionSummary,
    verdictSummary: open.optional(),
    verdictPolicyIntegrityError: z.string().optional(),
    statistics: Statistics.nullable(),
    judges: z.object({ goalCompletion: judge, groundedness: judge }),
    usage: z.object({
      inputTokens: z.number().int(),
      outputTokens: z.number().int(),
      totalTokens: z.number().int(),
      modelCalls: z.number().int(),
      estimatedCostUsd: z.number().nullable(),
      creditsSpent: z.number(),
    }),
  })
  .meta({ id: 'EvalRunDetail' });

const diagnosticsPage = (most: number, fallback: number) => ({
  cursor: z.string().max(2048).optional().describe('`diagnostics.nextCursor` of the page before.'),
  limit: z.coerce.number().int().min(1).max(most).default(fallback),
});

export const getEvalRun = ofRuns({
  summary: 'Read a run',
  description:
    'Poll until `status` is completed, failed, cancelled or timed_out. `decision` is the verdict; `decisionSummary` explains it, with a page of what failed.',
  path: '/{runId}',
  query: z.object(diagnosticsPage(200, 20)),
  ...vocabulary,
  response: EvalRunDetail,
});

export const getEvalRunDecisionSummary = ofRuns({
  summary: "Read why a run's verdict is what it is",
  path: '/{runId}/decision-summary',
  query: z.object(diagnosticsPage(200, 50)),
  ...vocabulary,
  response: DecisionSummary,
});

export const cancelEvalRun = ofRuns({
  summary: 'Cancel a run',
  description:
    'Trials under way are stopped; those that ended keep their results. A cancelled run stays as it is.',
  method: 'POST',
  path: '/{runId}/cancel',
  ...vocabulary,
  response: EvalRun,
  errors: ['CONFLICT'],
});

export const listEvalSuiteRuns = operation({
  ...area,
  summary: 'List the runs of a suite',
  description: 'The newest first.',
  method: 'GET',
  path: '/projects/{projectId}/eval-suites/{suiteId}/runs',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(25),
    cursor: z.string().max(2048).optional().describe('`nextCursor` of the page before.'),
  }),
  ...vocabulary,
  status: 200,
  response: z
    .object({ items: z.array(EvalRun), nextCursor: z.string().optional() })
    .meta({ id: 'EvalRunPage' }),
});
