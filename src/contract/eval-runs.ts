import { z } from 'zod';
import { GateWaiver } from './eval-gates.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { EvalWarning } from './eval-warnings.ts';
import { count } from './fields.ts';
import { InsightsEnvelope } from './insights.ts';
import { operation, operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const area = { area: 'Eval runs', access: 'project member' } as const;
const ofRuns = operationsIn({ ...area, path: '/projects/{projectId}/eval-runs' });

const open = z.record(z.string(), z.unknown());

export const RunEnvironment = z
  .object({ id: z.string(), name: z.string().nullable(), revision: z.number().int() })
  .nullable()
  .describe('Snapshot from the launch. `null` if the run used a selection of servers.');

export const status = z.enum([
  'pending',
  'running',
  'grading',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
]);

const interval = z
  .object({ lower: z.number(), upper: z.number() })
  .describe('95% confidence interval (Wilson).');

const rate = z.object({
  passed: z.number().int(),
  trials: z.number().int(),
  rate: z.number().nullable(),
  interval: interval.nullable(),
});

const Statistics = z
  .object({
    confidence: z.literal(0.95),
    trials: rate.describe('Rate over all judged trials.'),
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
            'Trials that did not complete or could not be judged. Not included in `trials`. Absent if 0.',
          ),
        threshold: z.number(),
        flaky: z.boolean().describe('Whether trials both passed and failed under the same conditions.'),
        passAtK: z.array(z.object({ k: z.number().int(), value: z.number() })),
        passHatK: z.array(z.object({ k: z.number().int(), value: z.number() })),
        trialsToSettle: z
          .number()
          .int()
          .nullable()
          .describe(
            'Estimated number of additional trials needed until the interval lies on one side of the threshold. 0 if it already does.',
          ),
        warnings: z
          .record(z.string(), z.number().int())
          .optional()
          .describe('Number of passed trials with a warning, by warning code.'),
      }),
    ),
    flakyCases: z.array(z.string()),
  })
  .meta({ id: 'EvalRunStatistics' });

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
    .describe('Trials that did not run before the run ended. Neither passed nor failed. Absent if 0.'),
  passRate: z.number().optional().describe('Absent if the run ended before all trials did.'),
});

const runFields = {
  id: z.string(),
  suiteId: z.string(),
  runNumber: z.number().int(),
  status,
  result: z.enum(['passed', 'failed', 'inconclusive']).nullable(),
  stopReason: z.string().optional().describe('Reason if the run ended before all trials did.'),
  error: z.string().optional(),
  warnings: z
    .array(EvalWarning)
    .optional()
    .describe('Reasons to doubt the result. Absent if there are none.'),
  summary: RunSummary.nullable().describe('Summary of the finished trials.'),
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
      '`suite`: all cases of the suite. `cases`: some of them. `try`: trial run of a case in progress. Only `suite` runs become the latest run of a suite or a baseline.',
    ),
  scoreIntegrity: z
    .enum(['valid', 'invalid'])
    .optional()
    .describe('For finished runs with scores. `invalid`: some scores contradict their definitions.'),
  createdAt: Time,
  startedAt: Time.nullable(),
  completedAt: Time.nullable(),
};

export const EvalRun = z.object(runFields).meta({ id: 'EvalRun' });

const judgeState = {
  status: z
    .enum(['pending', 'completed', 'failed'])
    .nullable()
    .describe('Status of the request. `null` if nothing was requested.'),
  errorCode: z.string().nullable(),
  summary: z.string().nullable(),
  generatedAt: Time.nullable(),
  modelUsed: z.string().nullable(),
  basis: z
    .enum(['model', 'wordCount'])
    .optional()
    .describe('`wordCount`: the offline judge only counted words. Always advisory.'),
  advisory: z
    .boolean()
    .optional()
    .describe('Whether the scores are advisory, that is, had no part in the verdict.'),
  threshold: z.number().nullable(),
};
const judgeCase = {
  caseKey: z.string(),
  iterationId: z.string(),
  status: z.enum(['scored', 'error', 'skipped']),
  score: z.number().nullable(),
  passed: z.boolean().describe('Only meaningful if scored.'),
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
          .describe('Number of trials.'),
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
      .meta({ id: 'EvalRunGroundednessJudge', description: 'Advisory: does not affect the verdict.' }),
  })
  .meta({ id: 'EvalRunJudges' });

const caseIds = z.array(z.string());
const ImportEligibility = z
  .object({
    status: z
      .enum(['legacy', 'eligible', 'incomplete'])
      .describe('`legacy`: the suite has no imported cases.'),
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
    runEvaluationsByCase: z.array(open).optional().describe('Reported evaluations of whole cases. Advisory.'),
    decision: open
      .nullable()
      .describe('Verdict of the run, which is authoritative. `null` until there is one.'),
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

const diagnosticsPage = (maximum: number, fallback: number) => ({
  cursor: z.string().max(2048).optional().describe('`diagnostics.nextCursor` of the previous page.'),
  limit: z.coerce.number().int().min(1).max(maximum).default(fallback),
});

export const getEvalRun = ofRuns({
  summary: 'Read a run',
  description:
    'Poll until `status` is completed, failed, cancelled or timed_out. `decision` is the verdict; `decisionSummary` explains it and lists failures, page by page.',
  path: '/{runId}',
  query: z.object(diagnosticsPage(200, 20)),
  ...vocabulary,
  response: EvalRunDetail,
});

export const getEvalRunDecisionSummary = ofRuns({
  summary: 'Read the decision summary of a run',
  path: '/{runId}/decision-summary',
  query: z.object(diagnosticsPage(200, 50)),
  ...vocabulary,
  response: DecisionSummary,
});

export const cancelEvalRun = ofRuns({
  summary: 'Cancel a run',
  description: 'Stops running trials; finished trials keep their results. Idempotent.',
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
  cursor: z.string().max(2048).optional().describe('`nextCursor` of the previous page.'),
  coverage: z
    .literal('suite')
    .optional()
    .describe(
      'Only runs of the whole suite that were not cancelled. The first one is the latest run of the suite.',
    ),
};

export const listEvalRuns = ofRuns({
  command: 'eval-runs list-all',
  summary: 'List the runs of a project',
  description: 'Runs of all suites or of one, newest first.',
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
  description: 'Newest first.',
  method: 'GET',
  path: '/projects/{projectId}/eval-suites/{suiteId}/runs',
  query: z.object(pageOfRuns),
  ...vocabulary,
  status: 200,
  response: runPage,
});
