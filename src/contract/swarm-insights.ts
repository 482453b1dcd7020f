import { z } from 'zod';
import { RunSummary } from './journey-runs.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { swarms } from './swarm-feature.ts';

const operation = operationsIn({
  area: 'Swarm insights',
  path: '/projects/{projectId}',
  access: 'project member',
});

const count = z.number().int().min(0);
const open = z.looseObject({});

const Criterion = z
  .object({
    id: z.string(),
    label: z.string().nullable(),
    kind: z.string(),
    passCount: count,
    failCount: count,
    pendingCount: count,
    failedGradingCount: count.describe('The grading crashed; no failure.'),
    interval: z
      .object({ low: z.number(), high: z.number() })
      .nullable()
      .optional()
      .describe('Within which the rate of passes lies, at 95 %.'),
  })
  .meta({ id: 'ScorecardCriterion' });

export const RunScorecard = z
  .object({
    runId: z.string(),
    criteria: z.array(Criterion),
    sessionsTotal: count,
    sessionsGraded: count.describe('What rates are divided by.'),
  })
  .meta({ id: 'RunScorecard' });

export const getJourneyRunScorecard = operation({
  summary: 'Read the scorecard of a journey run',
  description:
    'How many sessions met each criterion of the rubric. Divide by `sessionsGraded`: sessions that a provider limited are not graded. 404 when the run has no rubric.',
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
    runStreak: count.describe('In how many runs of the journey in a row it failed, this one included.'),
  })
  .meta({ id: 'SwarmOverviewFinding' });

const OverviewRun = z
  .object({
    runId: z.string(),
    journeyId: z.string(),
    journeyName: z.string(),
    journeyArchived: z.boolean(),
    goalId: z.string().describe('The same as `journeyId`.'),
    goalName: z.string(),
    goalArchived: z.boolean(),
    personaName: z.string(),
    status: z.string(),
    waveId: z.string().optional(),
    swarmRunId: z.string().optional().describe('The same as `waveId`.'),
    summary: RunSummary,
    verdict: z
      .enum(['passed', 'failed', 'inconclusive', 'notEstablished'])
      .nullable()
      .describe('`null` until everything is graded.'),
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
  summary: 'Read how journeys have been going',
  command: 'swarms overview',
  description: 'The latest 50 runs of the project, and how often the goal was reached by day (UTC).',
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
    fingerprint: z.string().describe('The same for the same thing in every wave.'),
    dimension: z.string(),
    subject: z.object({ kind: z.string(), id: z.string(), label: z.string() }),
    status: z.enum(['new', 'recurring', 'regressed', 'resolved']),
    occurrenceCount: count.describe('In how many waves it was seen.'),
    lastSeenWaveId: z.string(),
    firstSeenAt: Time,
    lastSeenAt: Time,
    resolvedAt: Time.nullable(),
    dismissedAt: Time.nullable().describe('Somebody does not want to see it. Its status goes on as before.'),
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
      .describe('Sessions affected in the latest waves that could show it, at most 20, the oldest first.'),
  })
  .meta({ id: 'SwarmFinding' });

export const listSwarmFindings = operation({
  summary: 'List what keeps going wrong',
  command: 'journey-findings list',
  description: 'Those changed last come first, the dismissed ones too.',
  path: '/journey-findings',
  query: z.object(historyPage),
  response: pageOf(Finding, 'SwarmFindingPage'),
  feature: swarms.read({ items: [] }),
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
  summary: 'Take the dismissal of a finding back',
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
    insights: open.nullable().describe('What was counted, and what a language model makes of it.'),
    discovery: open.nullable().describe('What a language model saw besides; null without one.'),
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
  description: '404 until somebody has asked for them.',
  path: '/waves/{waveId}/insights',
  response: WaveInsights,
  feature: swarms.readOne,
});

export const InsightsRequest = z.strictObject({
  force: z.boolean().optional().describe('Ask again, which takes another unit.'),
});

export const requestWaveInsights = operation({
  summary: 'Ask for insights into a wave',
  command: 'waves request-insights',
  description:
    'Gathers what the sessions of the wave have in common; a language model adds causes and remedies where there is one. Takes one unit of `insightsPerDay`; what the language model costs is billed. Poll the GET.',
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
  summary: 'No longer ask for insights into a wave',
  command: 'waves cancel-insights',
  description: '409 when none are on their way.',
  method: 'DELETE',
  path: '/waves/{waveId}/insights',
  response: z.object(waveCanceled).meta({ id: 'WaveInsightsCanceled' }),
  errors: ['CONFLICT'],
  feature: swarms.always,
});
