import { z } from 'zod';
import { swarms } from './features.ts';
import { count } from './fields.ts';
import { RunSummary } from './journey-runs.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Swarm insights',
  path: '/projects/{projectId}',
  access: 'project member',
});

const open = z.looseObject({});

const Criterion = z
  .object({
    id: z.string(),
    label: z.string().nullable(),
    kind: z.string(),
    passCount: count,
    failCount: count,
    pendingCount: count,
    failedGradingCount: count.describe('Sessions whose grading crashed. Not counted as failed.'),
    interval: z
      .object({ low: z.number(), high: z.number() })
      .nullable()
      .optional()
      .describe('95% confidence interval of the pass rate.'),
  })
  .meta({ id: 'ScorecardCriterion' });

export const RunScorecard = z
  .object({
    runId: z.string(),
    criteria: z.array(Criterion),
    sessionsTotal: count,
    sessionsGraded: count.describe('Denominator of all rates.'),
  })
  .meta({ id: 'RunScorecard' });

export const getJourneyRunScorecard = operation({
  summary: 'Read the scorecard of a journey run',
  description:
    'Number of sessions that met each criterion of the rubric. To get rates, divide by `sessionsGraded`, which excludes sessions that a provider rate-limited. Returns 404 if the run has no rubric.',
  path: '/journey-runs/{journeyRunId}/scorecard',
  response: RunScorecard,
  feature: swarms.readOne,
});

const OverviewFinding = z
  .object({
    criterionId: z.string(),
    label: z.string().nullable(),
    kind: z.string().nullable(),
    failCount: count,
    pendingCount: count,
    failedGradingCount: count,
    sessionsGraded: count,
    runStreak: count.describe(
      'Number of consecutive runs of the journey in which the criterion failed, including this one.',
    ),
  })
  .meta({ id: 'SwarmOverviewFinding' });

const OverviewRun = z
  .object({
    runId: z.string(),
    journeyId: z.string(),
    journeyName: z.string(),
    journeyArchived: z.boolean(),
    goalId: z.string().describe('Same value as `journeyId`.'),
    goalName: z.string(),
    goalArchived: z.boolean(),
    personaName: z.string(),
    status: z.string(),
    waveId: z.string().optional(),
    swarmRunId: z.string().optional().describe('Same value as `waveId`.'),
    summary: RunSummary,
    verdict: z
      .enum(['passed', 'failed', 'inconclusive', 'notEstablished'])
      .nullable()
      .describe('`null` until all sessions are graded.'),
    goalCompletion: z
      .object({
        gradedCount: count,
        passedCount: count,
        avgScore: z.number().nullable(),
        pendingCount: count.nullable(),
        failedCount: count.nullable(),
      })
      .nullable(),
    findings: z.array(OverviewFinding),
    targets: z.array(
      z.object({ hostName: z.string(), modelId: z.string(), environmentName: z.string().optional() }),
    ),
    createdAt: Time,
  })
  .meta({ id: 'SwarmOverviewRun' });

const noOverview = {
  runs: [],
  runsConsidered: 0,
  goalCompletion: { gradedCount: 0, passedCount: 0, passRate: null, runsWithGrades: 0, trend: [] },
};

export const getSwarmOverview = operation({
  summary: 'Read the overview of journeys',
  command: 'swarms overview',
  description: 'Latest 50 runs of the project, and the goal completion rate by day (UTC).',
  path: '/journeys-overview',
  response: z
    .object({
      runs: z.array(OverviewRun),
      runsConsidered: count,
      goalCompletion: z.object({
        gradedCount: count,
        passedCount: count,
        passRate: z.number().nullable(),
        runsWithGrades: count,
        trend: z.array(
          z.object({
            dayStartMs: Time,
            gradedCount: count,
            passedCount: count,
            passRate: z.number(),
          }),
        ),
      }),
    })
    .meta({ id: 'SwarmOverview' }),
  feature: swarms.read(noOverview),
});

const Finding = z
  .object({
    id: z.string(),
    fingerprint: z.string().describe('Identifies the finding across waves.'),
    dimension: z.string(),
    subject: z.object({ kind: z.string(), id: z.string(), label: z.string() }),
    status: z.enum(['new', 'recurring', 'regressed', 'resolved']),
    occurrenceCount: count.describe('Number of waves with the finding.'),
    lastSeenWaveId: z.string(),
    firstSeenAt: Time,
    lastSeenAt: Time,
    resolvedAt: Time.nullable(),
    dismissedAt: Time.nullable().describe(
      'Set if a user dismissed the finding. The status is still updated.',
    ),
    updatedAt: Time,
    waves: z
      .array(
        z.object({
          waveId: z.string(),
          at: Time,
          affected: count,
          total: count,
          fired: z.boolean(),
        }),
      )
      .describe(
        'Affected sessions in the latest waves in which the finding could occur, oldest first. Up to 20.',
      ),
  })
  .meta({ id: 'SwarmFinding' });

export const listSwarmFindings = operation({
  summary: 'List the findings of journeys',
  command: 'journey-findings list',
  description: 'Most recently changed first, including dismissed ones.',
  path: '/journey-findings',
  query: z.object(historyPage),
  response: pageOf(Finding, 'SwarmFindingPage'),
  feature: swarms.list,
});

const FindingDismissed = z
  .object({ id: z.string(), projectId: z.string(), dismissed: z.boolean() })
  .meta({ id: 'FindingDismissed' });

export const dismissSwarmFinding = operation({
  summary: 'Dismiss a finding',
  command: 'journey-findings dismiss',
  method: 'POST',
  path: '/journey-findings/{findingId}/dismiss',
  response: FindingDismissed,
  feature: swarms.write,
});

export const undismissSwarmFinding = operation({
  summary: 'Restore a dismissed finding',
  command: 'journey-findings undismiss',
  method: 'POST',
  path: '/journey-findings/{findingId}/undismiss',
  response: FindingDismissed,
  feature: swarms.write,
});

export const WaveInsights = z
  .object({
    waveId: z.string(),
    status: z.enum(['pending', 'completed', 'failed']),
    insights: open.nullable().describe('Counted results with the interpretation of a language model.'),
    discovery: open.nullable().describe('Additional observations of a language model. `null` without one.'),
    errorCode: z.string().nullable(),
    errorMessage: z.string().nullable(),
    updatedAt: Time,
  })
  .meta({ id: 'WaveInsights' });

export const waveRequested = {
  waveId: z.string(),
  projectId: z.string(),
  status: z.literal('pending'),
};
export const waveCanceled = { waveId: z.string(), projectId: z.string(), canceled: z.literal(true) };

export const getWaveInsights = operation({
  summary: 'Read the insights into a wave',
  command: 'waves insights',
  description: 'Returns 404 until insights are requested.',
  path: '/waves/{waveId}/insights',
  response: WaveInsights,
  feature: swarms.readOne,
});

export const InsightsRequest = z.strictObject({
  force: z.boolean().optional().describe('Request again. Uses another unit.'),
});

export const requestWaveInsights = operation({
  summary: 'Request insights into a wave',
  command: 'waves request-insights',
  description:
    'Groups failures of the sessions of the wave. If a language model is configured, it adds causes and remedies, which is billed. Uses one unit of `insightsPerDay`. Poll `getWaveInsights`.',
  method: 'POST',
  path: '/waves/{waveId}/insights',
  body: InsightsRequest.meta({ id: 'WaveInsightsRequest' }),
  example: {},
  status: 202,
  response: z.object(waveRequested).meta({ id: 'WaveInsightsRequested' }),
  errors: ['CONFLICT'],
  spends: true,
  feature: swarms.write,
});

export const cancelWaveInsights = operation({
  summary: 'Cancel a request for insights into a wave',
  command: 'waves cancel-insights',
  description: 'Returns 409 if no request is pending.',
  method: 'DELETE',
  path: '/waves/{waveId}/insights',
  response: z.object(waveCanceled).meta({ id: 'WaveInsightsCanceled' }),
  errors: ['CONFLICT'],
  feature: swarms.always,
});
