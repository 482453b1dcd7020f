import { z } from 'zod';
import { GateWaiver } from './eval-gates.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { EvalWarning } from './eval-warnings.ts';
import { InsightsEnvelope } from './insights.ts';
import { operation, operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const area = { area: 'Eval runs', access: 'project member' } as const;
const ofRuns = operationsIn({ ...area, path: '/projects/{projectId}/eval-runs' });

const open = z.record(z.string(), z.unknown());

export const RunEnvironment = z
  .object({ id: z.string(), name: z.string().nullable(), revision: z.number().int() })
  .nullable()
  .describe('As it was when the run was launched; `null` when the run used a selection of servers.');

export const status = z.enum([
  'pending',
  'running',
  'grading',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
]);

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
        excluded: z
          .number()
          .int()
          .optional()
          .describe(
            'Trials that did not complete or could not be judged: not among `trials`. Absent when there are none.',
          ),
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
        warnings: z
          .record(z.string(), z.number().int())
          .optional()
          .describe('By the code of a warning: how many of the passed trials have it.'),
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

const RunSummary = z.object({
  total: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  notRun: z
    .number()
    .int()
    .optional()
    .describe('Trials that the run ended without: neither passed nor failed. Absent when there are none.'),
  passRate: z.number().optional().describe('Absent when the run ended before all its trials did.'),
});

const runFields = {
  id: z.string(),
  suiteId: z.string(),
  runNumber: z.number().int(),
  status,
  result: z.enum(['passed', 'failed', 'inconclusive']).nullable(),
  stopReason: z.string().optional().describe('Why it ended before its trials did.'),
  error: z.string().optional(),
  warnings: z
    .array(EvalWarning)
    .optional()
    .describe('Why the result means less than it says; absent when there is nothing to say.'),
  summary: RunSummary.nullable().describe(
    'Over the trials that have ended; over all trials once the run has.',
  ),
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
  executionEngine: z.literal('emulated').optional(),
  name: z.string().optional(),
  tags: z.array(z.string()).optional(),
  runMetadata: open.optional(),
  verdictPolicyVersion: z.literal(2).optional(),
  runGroupId: z.string().optional(),
  effectiveModelId: z.string().optional(),
  modelSource: z.enum(['client_default', 'override', 'case']).optional(),
  suiteRevision: z.number().int(),
  coverage: z
    .enum(['suite', 'cases', 'try'])
    .optional()
    .describe(
      '`suite`: all cases of the suite. `cases`: some of them. `try`: a try of a case that is being written. Only `suite` becomes the latest run of a suite or a baseline.',
    ),
  scoreIntegrity: z
    .enum(['valid', 'invalid'])
    .optional()
    .describe('Of a run that came to its end with scores. `invalid`: some contradict their definitions.'),
  createdAt: Time,
  startedAt: Time.nullable(),
  completedAt: Time.nullable(),
};

export const EvalRun = z.object(runFields).meta({ id: 'EvalRun' });

const judgeState = {
  status: z.enum(['pending', 'completed', 'failed']).nullable().describe('`null`: nobody has asked.'),
  errorCode: z.string().nullable(),
  summary: z.string().nullable(),
  generatedAt: Time.nullable(),
  modelUsed: z.string().nullable(),
  basis: z
    .enum(['model', 'wordCount'])
    .optional()
    .describe('`wordCount`: the offline judge counted words and understood nothing. Always advisory.'),
  advisory: z.boolean().optional().describe('Its scores are advice: they had no part in the verdict.'),
  threshold: z.number().nullable(),
};
const judgeCase = {
  caseKey: z.string(),
  iterationId: z.string(),
  status: z.enum(['scored', 'error', 'skipped']),
  score: z.number().nullable(),
  passed: z.boolean().describe('Means something only when scored.'),
  reason: z.string().nullable(),
  errorCode: z.string().optional(),
};
const Judges = z
  .object({
    goalCompletion: z
      .object({
        ...judgeState,
        progress: z
          .object({ total: count, completed: count, errors: count, skipped: count })
          .optional()
          .describe('Of trials.'),
        judgeTemplateVersion: z.number().int().optional(),
        judgeTemplateHash: z.string().optional(),
        cases: z.array(
          z.object({
            ...judgeCase,
            rubricHits: z.array(z.string()),
            gradingKey: z.string().optional(),
            judgeTemplateVersion: z.number().int().optional(),
            judgeTemplateHash: z.string().optional(),
            evidenceHash: z.string().optional(),
            evidenceManifest: z
              .object({
                version: z.literal(1),
                traceComplete: z.literal(true),
                traceFields: z.array(z.string()),
                messageCount: count,
                spanCount: count,
                artifactSources: z.array(
                  z.object({
                    sourceId: z.string(),
                    mediaType: z.string(),
                    modality: z.enum(['image', 'audio', 'video', 'file']),
                  }),
                ),
                uncaptured: z.array(z.string()),
                inputBytes: count,
              })
              .optional(),
          }),
        ),
      })
      .meta({ id: 'EvalRunGoalCompletionJudge' }),
    groundedness: z
      .object({
        ...judgeState,
        cases: z.array(z.object({ ...judgeCase, unsupportedClaims: z.array(z.string()) })),
      })
      .meta({ id: 'EvalRunGroundednessJudge', description: 'Decides nothing.' }),
  })
  .meta({ id: 'EvalRunJudges' });

const caseIds = z.array(z.string());
const ImportEligibility = z
  .object({
    status: z.enum(['legacy', 'eligible', 'incomplete']).describe('`legacy`: no case was imported.'),
    gateable: z.boolean(),
    importedCaseCount: z.number().int(),
    claimedExactCaseIds: caseIds,
    approvedApproximationCaseIds: caseIds,
    approvedApproximationReceipts: z.array(
      z.object({
        testCaseId: z.string(),
        caseKey: z.string().optional(),
        sourceCaseKey: z.string().optional(),
        approvedBy: z.string(),
        approvedAt: Time,
        reason: z.string(),
      }),
    ),
    issues: z.array(
      z.object({ code: z.string(), testCaseId: z.string().optional(), caseKey: z.string().optional() }),
    ),
  })
  .meta({ id: 'ImportEligibility' });

export const EvalRunDetail = z
  .object({
    ...runFields,
    gateWaiver: GateWaiver.nullable(),
    importEligibility: ImportEligibility,
    runEvaluationsByCase: z
      .array(open)
      .optional()
      .describe('What was measured of whole cases elsewhere; it decides nothing.'),
    decision: open
      .nullable()
      .describe("The run's own verdict, which is the authority; `null` until there is one."),
    decisionSummary: DecisionSummary,
    verdictSummary: open.optional(),
    verdictPolicyIntegrityError: z.string().optional(),
    statistics: Statistics.nullable(),
    judges: Judges,
    insights: InsightsEnvelope.optional(),
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

const runPage = z
  .object({ items: z.array(EvalRun), nextCursor: z.string().optional() })
  .meta({ id: 'EvalRunPage' });
const pageOfRuns = {
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: z.string().max(2048).optional().describe('`nextCursor` of the page before.'),
  coverage: z
    .literal('suite')
    .optional()
    .describe('Only runs of all cases of their suite that were not cancelled; the first is its latest run.'),
};

export const listEvalRuns = ofRuns({
  command: 'eval-runs list-all',
  summary: 'List the runs of a project',
  description: 'Of all suites or of one, the newest first.',
  query: z.object({
    suiteId: z.string().min(1).max(128).optional(),
    status: status.optional(),
    result: z.enum(['passed', 'failed', 'inconclusive']).optional(),
    ...pageOfRuns,
  }),
  ...vocabulary,
  response: runPage,
});

export const listEvalSuiteRuns = operation({
  command: 'eval-runs list',
  ...area,
  summary: 'List the runs of a suite',
  description: 'The newest first.',
  method: 'GET',
  path: '/projects/{projectId}/eval-suites/{suiteId}/runs',
  query: z.object(pageOfRuns),
  ...vocabulary,
  status: 200,
  response: runPage,
});
