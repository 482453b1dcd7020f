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
    caseId: z.string().optional().describe('The id its author gave the case.'),
    title: z.string(),
    iterationNumber: z.number().int(),
    status: status.describe('How it ended, not how it was judged.'),
    result: z.enum(['passed', 'failed']).nullable(),
    model: z.string(),
    provider: z.string(),
    attempts: z.number().int().describe('How often it was begun: more than once after a crash.'),
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
        'Why the model stopped, when it was not because it was done: length, content-filter, step-limit, error or other. Such a trial is failed and never passes.',
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
  description: 'With tool calls, token usage, latency and what each was judged by.',
  path: '/iterations',
  query: z.object(historyPage),
  ...vocabulary,
  bulky: true,
  response: pageOf(EvalIteration, 'EvalIterationPage'),
});

export const getEvalIteration = ofRun({
  command: 'eval-iterations get',
  summary: 'Read a trial',
  description: 'As the list of trials shows it.',
  path: '/iterations/{iterationId}',
  ...vocabulary,
  response: EvalIteration,
});

const TrialState = z
  .object({
    id: z.string(),
    case: z.number().int().min(0).describe('Place in `cases`.'),
    iterationNumber: z.number().int(),
    status,
    result: z.enum(['passed', 'failed']).nullable(),
    durationMs: z.number().int().nullable(),
    tokensUsed: z.number().int().nullable(),
    estimatedCostUsd: z.number().nullable(),
    firstFailedStage: stage.optional(),
    tools: z.array(z.number().int().min(0)).describe('Places in `tools`: those that were called.'),
  })
  .meta({ id: 'EvalTrialState' });

export const listEvalRunTrialStates = ofRun({
  summary: 'List how each trial of a run stands',
  description:
    'In few bytes each, so that thousands can be shown at once. In the order of the cases; `listEvalRunIterations` has the rest.',
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
            caseId: z.string().optional().describe('The id its author gave the case.'),
            title: z.string(),
            model: z.string(),
            provider: z.string(),
          }),
        )
        .describe('Those of the items: a case with each of its models.'),
      tools: z.array(z.string()),
      items: z.array(TrialState),
      nextCursor: z.string().optional(),
    })
    .meta({ id: 'EvalTrialStatePage' }),
});

export const getEvalIterationTrace = ofRun({
  command: 'eval-iterations trace',
  summary: 'Read the trace of a trial',
  description: 'Messages, spans and prompts, with the frames exchanged with the servers.',
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
  summary: 'Read how each step of a trial went',
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

const RunEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('run.started'), runId: z.string(), at: Time, trials: z.number().int() }),
    z.object({
      type: z.literal('trial.started'),
      runId: z.string(),
      at: Time,
      iterationId: z.string(),
      testCaseId: z.string(),
      title: z.string(),
      iterationNumber: z.number().int(),
      model: z.string(),
    }),
    z.object({
      type: z.literal('trial.step'),
      runId: z.string(),
      at: Time,
      iterationId: z.string(),
      stepIndex: z.number().int(),
      kind: z.string(),
      status: z.string(),
      toolName: z.string().optional(),
    }),
    z.object({
      type: z.literal('trial.finished'),
      runId: z.string(),
      at: Time,
      iterationId: z.string(),
      testCaseId: z.string(),
      title: z.string(),
      iterationNumber: z.number().int(),
      model: z.string(),
      status,
      result: z.enum(['passed', 'failed']).nullable(),
      durationMs: z.number().int().nullable(),
      finished: z.number().int().describe('How many trials have ended, this one included.'),
      trials: z.number().int(),
    }),
    z.object({
      type: z.literal('run.grading'),
      runId: z.string(),
      at: Time,
      trials: z.number().int().describe('Those that the judge is shown.'),
    }),
    z.object({
      type: z.literal('run.decided'),
      runId: z.string(),
      at: Time,
      status: z.string(),
      result: z.string().nullable(),
    }),
  ])
  .meta({ id: 'EvalRunEvent' });
export type RunEvent = z.input<typeof RunEvent>;

export const watchEvalRun = ofRun({
  summary: 'Follow a run',
  description:
    'Ends after the verdict. A reader that comes again with `Last-Event-ID` misses nothing and sees nothing twice.',
  path: '/events',
  response: eventStream(RunEvent, 'What happens in the run, from its beginning.'),
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
  summary: 'Read where the trials of a run fail',
  description: 'Counts for each stage from the connection to the value for the user.',
  path: '/stage-analytics',
  response: StageAnalytics,
});

export const listEvalSuiteStageAnalytics = operation({
  ...area,
  summary: 'List where the runs of a suite fail',
  description: 'One document for each run that came to an end, the latest first.',
  method: 'GET',
  path: '/projects/{projectId}/eval-suites/{suiteId}/stage-analytics',
  query: z.object({
    from: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe('End of the run, epoch milliseconds, inclusive.'),
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
  summary: 'Export traces in the OTLP JSON format',
  description:
    'Trials of the project that have ended, the oldest first. `nextCursor` continues behind the last one, also later.',
  method: 'GET',
  path: '/trace-exports/otlp',
  query: z.object({
    projectId: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('Left out, the Default project of the organization.'),
    cursor: historyPage.cursor,
    limit: z.coerce.number().int().min(1).max(200).default(50),
    sourceTypes: z.string().max(200).optional().describe('With commas between them; only `eval` has traces.'),
    includeContent: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Whether prompts and results are in it.'),
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
