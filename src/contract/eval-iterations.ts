import { z } from 'zod';
import { vocabulary } from './eval-vocabulary.ts';
import { EvalWarning } from './eval-warnings.ts';
import { eventStream, operation, operationsIn } from './operation.ts';
import { historyPage, lookupPage, pageOf, Time } from './paging.ts';

const area = { area: 'Eval runs', access: 'project member' } as const;
const ofRun = operationsIn({ ...area, path: '/projects/{projectId}/eval-runs/{runId}' });

const open = z.record(z.string(), z.unknown());
const stage = z.enum(['connection', 'discovery', 'selection', 'call', 'response', 'userValue']);
const status = z.enum([
  'pending',
  'running',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
  'setup_failed',
  'skipped',
]);

const StageRow = z
  .object({
    stage,
    state: z.enum(['passed', 'failed', 'notReached', 'notMeasured', 'notApplicable']),
    reason: z.string().optional(),
    evidence: z
      .object({
        spanIds: z.array(z.string()).optional(),
        promptIndexes: z.array(z.number().int()).optional(),
        predicateReasons: z.array(z.string()).optional(),
      })
      .optional(),
  })
  .meta({ id: 'StageResultRow' });

const EvalIteration = z
  .object({
    id: z.string(),
    testCaseId: z.string(),
    caseId: z.string().optional().describe('ID that the author gave the case.'),
    title: z.string(),
    iterationNumber: z.number().int(),
    status: status.describe('Execution status, not the verdict.'),
    result: z.enum(['passed', 'failed']).nullable(),
    model: z.string(),
    provider: z.string(),
    attempts: z.number().int().describe('Number of attempts. More than one after a crash.'),
    startedAt: Time.nullable(),
    durationMs: z.number().int().nullable(),
    tokensUsed: z.number().int().nullable(),
    usage: open.nullable(),
    actualToolCalls: z.array(open),
    expectedToolCalls: z.array(open),
    error: z.string().nullable(),
    finishReason: z
      .string()
      .optional()
      .describe(
        'Set if the model stopped before it had finished: length, content-filter, step-limit, error or other. Such a trial fails.',
      ),
    warnings: z.array(EvalWarning).optional(),
    predicateResults: z.array(open).optional(),
    scores: z.array(open).optional(),
    evaluationConfig: z.object({ hash: z.string(), definitions: z.array(open) }).optional(),
    scoreIntegrity: z.literal('score_integrity_invalid').optional(),
    stageResults: z.array(StageRow).optional(),
    firstFailedStage: stage.optional(),
    failureCategory: z.string().optional(),
    stageAnalyzerVersion: z.number().int().optional(),
  })
  .meta({ id: 'EvalIteration' });

export const listEvalRunIterations = ofRun({
  command: 'eval-iterations list',
  summary: 'List the trials of a run',
  description: 'Includes tool calls, token usage, latency and check results.',
  path: '/iterations',
  query: z.object(historyPage),
  ...vocabulary,
  bulky: true,
  response: pageOf(EvalIteration, 'EvalIterationPage'),
});

export const getEvalIteration = ofRun({
  command: 'eval-iterations get',
  summary: 'Read a trial',
  description: 'Same fields as in the list of trials.',
  path: '/iterations/{iterationId}',
  ...vocabulary,
  response: EvalIteration,
});

const TrialState = z
  .object({
    id: z.string(),
    case: z.number().int().min(0).describe('Index in `cases`.'),
    iterationNumber: z.number().int(),
    status,
    result: z.enum(['passed', 'failed']).nullable(),
    durationMs: z.number().int().nullable(),
    tokensUsed: z.number().int().nullable(),
    estimatedCostUsd: z.number().nullable(),
    firstFailedStage: stage.optional(),
    tools: z.array(z.number().int().min(0)).describe('Indexes in `tools` of the called tools.'),
  })
  .meta({ id: 'EvalTrialState' });

export const listEvalRunTrialStates = ofRun({
  summary: 'List the trial states of a run',
  description:
    'Compact, for displays of thousands of trials. In the order of the cases. For details, use `listEvalRunIterations`.',
  path: '/trial-states',
  query: z.object({
    cursor: historyPage.cursor,
    limit: z.coerce.number().int().min(1).max(5000).default(2000),
  }),
  bulky: true,
  response: z
    .object({
      cases: z
        .array(
          z.object({
            testCaseId: z.string(),
            caseId: z.string().optional().describe('ID that the author gave the case.'),
            title: z.string(),
            model: z.string(),
            provider: z.string(),
          }),
        )
        .describe('Cases of the items: one entry per case and model.'),
      tools: z.array(z.string()),
      items: z.array(TrialState),
      nextCursor: z.string().optional(),
    })
    .meta({ id: 'EvalTrialStatePage' }),
});

export const getEvalIterationTrace = ofRun({
  command: 'eval-iterations trace',
  summary: 'Read the trace of a trial',
  description: 'Messages, spans and prompts, including the frames exchanged with the servers.',
  path: '/iterations/{iterationId}/trace',
  ...vocabulary,
  bulky: true,
  response: z
    .looseObject({
      traceVersion: z.literal(1),
      messages: z.array(open),
      spans: z.array(open).optional(),
      prompts: z.array(open).optional(),
    })
    .meta({ id: 'EvalIterationTrace' }),
});

export const getEvalRunSteps = ofRun({
  command: 'eval-iterations steps',
  summary: 'Read the steps of a trial',
  path: '/iterations/{iterationId}/steps',
  query: z.object(lookupPage),
  ...vocabulary,
  response: z
    .object({
      items: z.array(
        z.object({
          stepId: z.string(),
          stepIndex: z.number().int(),
          kind: z.enum(['prompt', 'toolCall', 'interact', 'assert']),
          status: z.enum(['ok', 'fail', 'skipped', 'pending']),
          reason: z.string().optional(),
          evidence: open.optional(),
        }),
      ),
      evidence: z.enum(['resolved', 'unavailable']),
      nextCursor: z.string().optional(),
    })
    .meta({ id: 'EvalIterationSteps' }),
});

const inRun = { runId: z.string(), at: Time };
const inTrial = { ...inRun, iterationId: z.string() };
const trialOf = {
  testCaseId: z.string(),
  title: z.string(),
  iterationNumber: z.number().int(),
  model: z.string(),
};

const RunEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('run.started'), ...inRun, trials: z.number().int() }),
    z.object({
      type: z.literal('trial.started'),
      ...inTrial,
      ...trialOf,
    }),
    z.object({
      type: z.literal('trial.step'),
      ...inTrial,
      stepIndex: z.number().int(),
      kind: z.string(),
      status: z.string(),
      toolName: z.string().optional(),
    }),
    z.object({
      type: z.literal('trial.finished'),
      ...inTrial,
      ...trialOf,
      status,
      result: z.enum(['passed', 'failed']).nullable(),
      durationMs: z.number().int().nullable(),
      finished: z.number().int().describe('Number of finished trials, including this one.'),
      trials: z.number().int(),
    }),
    z.object({
      type: z.literal('run.grading'),
      ...inRun,
      trials: z.number().int().describe('Number of trials sent to the judge.'),
    }),
    z.object({
      type: z.literal('run.decided'),
      ...inRun,
      status: z.string(),
      result: z.string().nullable(),
    }),
  ])
  .meta({ id: 'EvalRunEvent' });
export type RunEvent = z.input<typeof RunEvent>;

export const watchEvalRun = ofRun({
  summary: 'Follow a run',
  description:
    'The stream ends after the verdict. Reconnect with `Last-Event-ID` to continue without gaps or duplicates.',
  path: '/events',
  response: eventStream(RunEvent, 'Events of the run from its start.'),
});

const StageAnalytics = z
  .looseObject({
    schemaVersion: z.literal(1),
    measurementUnit: z.literal('trial'),
    runId: z.string(),
    suiteId: z.string(),
    totalTrials: z.number().int(),
    includedTrials: z.number().int(),
    slices: z.array(open),
    setup: z.array(open),
  })
  .meta({ id: 'EvalStageAnalytics' });

export const getEvalRunStageAnalytics = ofRun({
  summary: 'Read the stage analytics of a run',
  description: 'Number of failed trials per stage, from the connection to the final answer.',
  path: '/stage-analytics',
  response: StageAnalytics,
});

export const listEvalSuiteStageAnalytics = operation({
  ...area,
  summary: 'List the stage analytics of a suite',
  description: 'One document per finished run, newest first.',
  method: 'GET',
  path: '/projects/{projectId}/eval-suites/{suiteId}/stage-analytics',
  query: z.object({
    from: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe('End time of the run in epoch milliseconds, inclusive.'),
    to: z.coerce.number().int().min(0).optional(),
    runGroupId: z.string().min(1).max(128).optional(),
    cursor: historyPage.cursor,
    limit: z.coerce.number().int().min(1).max(100).default(25),
  }),
  status: 200,
  response: pageOf(StageAnalytics, 'EvalStageAnalyticsPage'),
});

export const exportTracesOtlp = operation({
  command: 'traces export',
  area: 'Catalog',
  summary: 'Export traces as OTLP JSON',
  description:
    'Finished trials of the project, oldest first. `nextCursor` stays valid: use it later to fetch new trials.',
  method: 'GET',
  path: '/trace-exports/otlp',
  query: z.object({
    projectId: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('Default: the Default project of the organization.'),
    cursor: historyPage.cursor,
    limit: z.coerce.number().int().min(1).max(200).default(50),
    sourceTypes: z.string().max(200).optional().describe('Comma-separated. Only `eval` has traces.'),
    includeContent: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Whether to include prompts and results.'),
  }),
  status: 200,
  bulky: true,
  answerHeaders: { 'x-mcpjam-next-cursor': 'nextCursor', 'x-mcpjam-export-complete': 'complete' },
  response: z
    .looseObject({
      resourceSpans: z.array(open),
      nextCursor: z.string().optional(),
      complete: z.boolean(),
    })
    .meta({ id: 'OtlpTraceExport' }),
  access: 'key',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
});
