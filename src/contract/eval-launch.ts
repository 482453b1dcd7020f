import { z } from 'zod';
import { InlineCase } from './eval-cases.ts';
import { MatchOptions } from './eval-checks.ts';
import { RunEnvironment, status } from './eval-runs.ts';
import { caseUpsert, namedServers, PassCriteria, SuiteHosts } from './eval-suites.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { id, Name } from './fields.ts';
import { liveErrors } from './live.ts';
import { operation } from './operation.ts';

const area = { area: 'Eval runs', access: 'project member' } as const;

const names = z.array(z.string().trim().min(1).max(200)).max(100);

/** Compact JSON in a header. Malformed values are dropped, because the header is only a label. */
function label(maxLength: number, fields: readonly string[]) {
  return z
    .string()
    .optional()
    .transform((text) => readLabel(text, maxLength, fields));
}

function readLabel(
  text: string | undefined,
  maxLength: number,
  fields: readonly string[],
): Record<string, string> | undefined {
  if (text === undefined || text.length > maxLength) return undefined;
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
      'Launcher as compact JSON: kind (cli, mcp, github_action), client, version.',
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
    ]).describe('CI context as compact JSON: provider, pipelineId, jobId, runUrl, branch, commitSha.'),
  }),
} as const;

const modelKey = z.string().min(1).max(2000);

/** Options of a run, alone or in a group. */
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
    .describe('Allows environments of the project that are not attached to the suite.'),
  modelApiKeys: z
    .record(z.string().min(1).max(100), modelKey)
    .refine((keys) => Object.keys(keys).length <= 20, 'Takes keys of at most 20 providers')
    .optional()
    .describe('Your API keys by provider. Stored encrypted for this run and deleted when it ends.'),
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
    purpose: z
      .literal('try')
      .optional()
      .describe(
        'Marks a trial run of cases in progress. Such a run never becomes the latest run of the suite or a baseline.',
      ),
    sourceHash: z
      .string()
      .regex(/^[a-f0-9]{64}$/, 'Must be a SHA-256 in hex')
      .optional(),
    ...launch,
  })
  .meta({ id: 'EvalRunCreateRequest' });

const RunCreated = z
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
  .meta({ id: 'EvalRunCreated' });

export const createEvalRun = operation({
  ...area,
  summary: 'Start a run',
  description:
    'Runs a saved suite, optionally with overrides, or the `tests` in the request, which are stored in the suite. Returns immediately: poll the run or follow its events.',
  method: 'POST',
  path: '/projects/{projectId}/eval-runs',
  ...launchHeaders,
  idempotency: 'verb',
  spends: true,
  callsTools: true,
  body: RunCreateRequest,
  example: { suiteId: '{suiteId}' },
  status: 202,
  response: RunCreated,
  errors: ['CONFLICT', ...liveErrors],
});

const scope = z.literal('failed_cases');
const ofRun = { ...area, path: '/projects/{projectId}/eval-runs/{runId}/rerun' } as const;

export const getEvalRunRerunPreview = operation({
  ...ofRun,
  path: `${ofRun.path}-preview`,
  summary: 'Preview a rerun of the failed cases',
  description: 'Starts nothing.',
  method: 'GET',
  ...vocabulary,
  status: 200,
  response: z
    .object({
      sourceRunId: z.string(),
      suiteId: z.string(),
      scope,
      canRerun: z.boolean(),
      reason: z.string().optional().describe('Reason if it is not possible.'),
      message: z.string().optional(),
      cases: z.array(z.object({ testCaseId: z.string(), caseKey: z.string(), title: z.string() })),
      missingCases: z
        .array(z.object({ testCaseId: z.string(), caseKey: z.string(), title: z.string() }))
        .describe('Failed cases that are no longer in the suite.'),
      trials: z.number().int(),
      servers: namedServers,
      environment: RunEnvironment,
      model: z.string().nullable().describe('Model of the run, if all cases share one.'),
    })
    .meta({ id: 'EvalRunRerunPreview' }),
});

export const rerunEvalRun = operation({
  ...ofRun,
  summary: 'Rerun the failed cases of a run',
  description:
    'Creates a new run with the current version of the cases, against the targets of the original run. `runMetadata.rerunOf` refers to the original.',
  method: 'POST',
  ...launchHeaders,
  idempotency: 'verb',
  spends: true,
  callsTools: true,
  body: z
    .strictObject({
      scope: scope.default('failed_cases'),
      iterationOverride: launch.iterationOverride,
      modelApiKeys: launch.modelApiKeys,
      importApprovals: launch.importApprovals,
      notes: launch.notes,
      idempotencyKey: launch.idempotencyKey,
    })
    .meta({ id: 'EvalRunRerunRequest' }),
  example: { scope: 'failed_cases' },
  status: 202,
  response: RunCreated,
  errors: ['CONFLICT', ...liveErrors],
});

/** Maximum number of runs in a group. A group counts as one concurrent run. */
export const maxTargets = 10;

const target = z
  .strictObject({ environmentId: id.optional(), namedHostId: id.optional() })
  .refine(
    ({ environmentId, namedHostId }) => (environmentId === undefined) !== (namedHostId === undefined),
    'Give exactly one of environmentId and namedHostId',
  );

export const createEvalRunGroup = operation({
  command: 'eval-runs create-group',
  ...area,
  summary: 'Run a suite against several targets',
  description: 'Validates all targets before the first run starts. The group counts as one concurrent run.',
  method: 'POST',
  path: '/projects/{projectId}/eval-run-groups',
  ...launchHeaders,
  idempotency: 'verb',
  spends: true,
  callsTools: true,
  body: z
    .strictObject({ suiteId: id, targets: z.array(target).min(1).max(maxTargets), ...launch })
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
  errors: ['CONFLICT', ...liveErrors],
});
