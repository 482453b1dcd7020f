import { z } from 'zod';
import { RunEnvironment } from './eval-runs.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { count } from './fields.ts';
import { operation } from './operation.ts';
import { Time } from './paging.ts';

const number = z.number().nullable();
const NumericDiff = z
  .object({
    base: number,
    compare: number,
    delta: number,
    percentDelta: number.describe('`delta` in percent of `base`. `null` if `base` is 0 or missing.'),
  })
  .meta({ id: 'NumericDiff' });
const interval = z.object({ lower: z.number(), upper: z.number() });

const Difference = z
  .object({
    change: z.number().describe('Rate of the run minus rate of the base.'),
    interval: interval.nullable().describe('95% confidence interval (Newcombe).'),
    p: number.describe('p-value of the two-sided Fisher exact test.'),
    adjustedP: number.describe('p-value adjusted for the number of cases (Benjamini-Hochberg).'),
    significant: z.boolean().describe('Whether `adjustedP` is below 0.05.'),
  })
  .meta({ id: 'EvalRateDifference' });

const side = z.object({
  status: z.enum(['scored', 'error', 'skipped', 'not_applicable']),
  value: number,
  passed: z.boolean().nullable(),
});
const scorer = {
  scorerId: z.string(),
  gating: z.boolean(),
  deterministic: z.boolean(),
  definitionChanged: z.boolean(),
};

const coverage = z.object({ costed: count, total: count });
const costCoverage = z.object({ base: coverage, compare: coverage });

const CaseSide = z.object({
  outcome: z.enum(['passed', 'failed', 'absent']),
  iterationIds: z.array(z.string()),
  representativeIterationId: z.string().nullable().describe('A trial with the outcome shown.'),
  error: z.string().nullable(),
  passed: count,
  trials: count.describe('Trials that completed and were judged. The rate is based on them.'),
});

const CaseComparison = z
  .object({
    caseKey: z.string(),
    title: z.string(),
    status: z
      .enum([
        'unchanged_passed',
        'unchanged_failed',
        'regressed',
        'fixed',
        'new_case',
        'removed_case',
        'changed',
        'not_measured',
      ])
      .describe('`not_measured`: one of the runs has no judged trial of the case.'),
    configChanged: z.boolean().describe('Whether steps, checks, model or other settings of the case differ.'),
    evaluationConfigChanged: z.boolean(),
    scoreDeltas: z.array(
      z.object({ ...scorer, base: side.nullable(), compare: side.nullable(), value: NumericDiff }),
    ),
    base: CaseSide,
    compare: CaseSide,
    difference: Difference.nullable(),
    metrics: z.object({
      durationMs: NumericDiff.describe('Medians over the trials.'),
      totalTokens: NumericDiff.describe('Medians over the trials.'),
      estimatedCostUsd: NumericDiff.describe('Medians over the trials with known cost.'),
      costCoverage,
    }),
  })
  .meta({ id: 'EvalRunCompareCase' });

const RunSide = z
  .object({
    id: z.string(),
    runNumber: z.number().int(),
    result: z.string().nullable(),
    createdAt: Time,
    completedAt: Time.nullable(),
    summary: z.object({ total: count, passed: count, failed: count, passRate: z.number() }).nullable(),
    environment: RunEnvironment,
    effectiveModelId: z.string().optional(),
    modelSource: z.string().optional(),
    client: z.object({ name: z.string() }).optional(),
  })
  .meta({ id: 'EvalRunCompareSide' });

const contractSide = z.object({
  evaluationConfigHash: z.string().nullable(),
  scoreIntegrity: z
    .enum(['valid', 'invalid'])
    .nullable()
    .describe('`invalid`: some scores contradict their definitions. `null`: there are no scores.'),
  scoredIterations: count,
  quarantinedIterations: count,
});

export const compareEvalRun = operation({
  area: 'Eval runs',
  access: 'project member',
  summary: 'Compare a run with an earlier one',
  description:
    'Select the base with `baseRunId`, `baseCommitSha` (last completed run of that commit) or `baseBranch` (last run on that branch). Default: the previous comparable run, which is the last completed run of the whole suite with the same models, client and environment. If there is none, returns 404 with `details.reason` `BASELINE_NOT_FOUND`. For each case, the response has the outcome, example trials, and whether the difference is statistically significant.',
  method: 'GET',
  path: '/projects/{projectId}/eval-runs/{runId}/compare',
  query: z.object({
    baseRunId: z.string().min(1).max(128).optional(),
    baseCommitSha: z.string().min(1).max(200).optional(),
    baseBranch: z.string().trim().min(1).max(200).optional(),
    previewChars: z.coerce
      .number()
      .int()
      .min(0)
      .max(10_000)
      .optional()
      .describe('Maximum length of error messages, in characters.'),
  }),
  ...vocabulary,
  status: 200,
  bulky: true,
  response: z
    .object({
      suite: z.object({ id: z.string(), name: z.string() }),
      baseline: z.object({
        policy: z.enum([
          'run',
          'previous_completed',
          'previous_completed_same_environment',
          'commit_sha',
          'branch',
        ]),
        baseRunId: z.string(),
        baseCommitSha: z.string().optional(),
        baseBranch: z.string().optional(),
        matchCount: count
          .optional()
          .describe(
            'Number of comparable runs of the commit, up to 21, if there are several. The last one is used.',
          ),
      }),
      baseRun: RunSide,
      compareRun: RunSide,
      passSummary: z.object({
        passRatePercent: NumericDiff,
        total: NumericDiff,
        passed: NumericDiff,
        failed: NumericDiff,
      }),
      metrics: z.object({
        wallDurationMs: NumericDiff,
        totalTokens: NumericDiff,
        estimatedCostUsd: NumericDiff,
        costCoverage,
      }),
      difference: z
        .object({
          change: z.number().describe('Mean over the cases that both runs have.'),
          p: z.number(),
          test: z.enum(['stratified', 'mcnemar', 'cochran-mantel-haenszel']),
          significant: z.boolean(),
        })
        .nullable()
        .describe('Whether the change of the whole suite is statistically significant.'),
      scoreContract: z.object({
        base: contractSide,
        compare: contractSide,
        evaluationConfigChanged: z.boolean(),
        scorers: z.array(
          z.object({
            ...scorer,
            passRate: NumericDiff,
            meanValue: NumericDiff,
            errorCount: z.object({ base: count, compare: count }),
          }),
        ),
      }),
      cases: z.array(CaseComparison),
    })
    .meta({ id: 'EvalRunCompare' }),
});
