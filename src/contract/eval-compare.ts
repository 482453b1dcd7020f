import { z } from 'zod';
import { RunEnvironment } from './eval-runs.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { operation } from './operation.ts';
import { Time } from './paging.ts';

const number = z.number().nullable();
const NumericDiff = z
  .object({
    base: number,
    compare: number,
    delta: number,
    percentDelta: number.describe('`delta` in percent of `base`; `null` when that is 0 or missing.'),
  })
  .meta({ id: 'NumericDiff' });
const count = z.number().int().min(0);
const interval = z.object({ lower: z.number(), upper: z.number() });

const Difference = z
  .object({
    change: z.number().describe('From the rate of the base to the rate of the run.'),
    interval: interval.nullable().describe('Newcombe interval at 95 %.'),
    p: number.describe("Fisher's exact test, two-sided: how likely so much is by chance."),
    adjustedP: number.describe('The same, corrected for the number of cases (Benjamini and Hochberg).'),
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
  representativeIterationId: z.string().nullable().describe('A trial that shows the outcome.'),
  error: z.string().nullable(),
  passed: count,
  trials: count.describe('Those in the rate: they completed and were judged.'),
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
      .describe('`not_measured`: in one of the runs no trial of the case was judged.'),
    configChanged: z.boolean().describe('Steps, checks or the model are not the same.'),
    evaluationConfigChanged: z.boolean(),
    scoreDeltas: z.array(
      z.object({ ...scorer, base: side.nullable(), compare: side.nullable(), value: NumericDiff }),
    ),
    base: CaseSide,
    compare: CaseSide,
    difference: Difference.nullable(),
    metrics: z.object({
      durationMs: NumericDiff.describe('Medians of the trials.'),
      totalTokens: NumericDiff.describe('Medians of the trials.'),
      estimatedCostUsd: NumericDiff.describe('Medians of the trials whose cost is known.'),
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
    .describe('`invalid`: some scores contradict their definitions. `null`: nothing was scored.'),
  scoredIterations: count,
  quarantinedIterations: count,
});

export const compareEvalRun = operation({
  area: 'Eval runs',
  access: 'project member',
  summary: 'Compare a run with an earlier one',
  description:
    'With `baseRunId`, with the last completed run of a commit (`baseCommitSha`), with the last run on a branch (`baseBranch`), or else with the run before it. Of itself it compares like with like: with the last completed run of the whole suite that had the same models and client in the same environment. Where there is none, 404 with `details.reason` `BASELINE_NOT_FOUND` and a message that says why. Each case says what became of it, which trials show it, and whether the difference is more than chance.',
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
      .describe('Characters of an error that are shown.'),
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
          .describe('Runs of that commit, when there are several; the last one is taken.'),
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
          change: z.number().describe('The mean over the cases that both runs have.'),
          p: z.number(),
          test: z.enum(['stratified', 'mcnemar', 'cochran-mantel-haenszel']),
          significant: z.boolean(),
        })
        .nullable()
        .describe('Whether the suite as a whole changed by more than chance.'),
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
