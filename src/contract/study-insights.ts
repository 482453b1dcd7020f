import { z } from 'zod';
import { studies } from './features.ts';
import { count } from './fields.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { InsightsRequest, WaveInsights } from './swarm-insights.ts';

const operation = operationsIn({
  area: 'Studies',
  path: '/projects/{projectId}/studies/{studyId}',
  access: 'project member',
});

const rate = z.number().nullable().describe('`null` if there are no sessions to divide by.');

const Metrics = z
  .looseObject({
    population: z.enum(['real', 'synthetic']),
    sessions: count,
    visitors: count.nullable().describe('`null` for synthetic sessions.'),
    turns: count,
    toolCalls: count,
    failedToolCalls: count,
    toolFailureRate: rate,
    unansweredTurns: count.describe('Messages without a reply.'),
    turnMs: z.object({ median: z.number().nullable(), p95: z.number().nullable() }),
    thumbsUp: count,
    thumbsDown: count,
    days: z.array(
      z.object({ dayStartMs: Time, sessions: count, turns: count, thumbsUp: count, thumbsDown: count }),
    ),
    scan: z.object({ sessions: count, truncated: z.boolean() }),
  })
  .meta({ id: 'StudyMetrics' });

export const getStudyMetrics = operation({
  command: 'studies metrics',
  summary: 'Read the metrics of a study',
  description:
    'For one `population`: `real` visitors of the link, or `synthetic` sessions of journeys in the same environment. Returns 404 if there are no sessions.',
  path: '/metrics',
  query: z.object({ population: z.enum(['real', 'synthetic']).default('real') }),
  response: Metrics,
  feature: studies.readOne,
});

const Share = z.object({ name: z.string(), count });

const Usage = z
  .looseObject({
    sessions: count,
    inputTokens: count,
    outputTokens: count,
    credits: z.number(),
    guestCreditsToday: z.number().describe('Credits used of `dailyCreditCap`.'),
    tools: z.array(z.object({ name: z.string(), calls: count, failed: count })),
    models: z.array(Share),
    devices: z.array(Share),
    languages: z.array(Share),
    segments: z.array(Share),
    scan: z.object({ sessions: count, truncated: z.boolean() }),
  })
  .meta({ id: 'StudyUsage' });

export const getStudyUsage = operation({
  command: 'studies usage',
  summary: 'Read the usage of a study',
  description:
    'If `scan.truncated` is set, only the latest sessions were counted. Returns 404 if there are no sessions.',
  path: '/usage',
  response: Usage,
  feature: studies.readOne,
});

const Candidate = z.looseObject({
  fingerprint: z.string(),
  detector: z.string(),
  subject: z.object({ kind: z.string(), id: z.string(), label: z.string() }),
  title: z.string(),
  affectedSessions: count,
  sliceTotal: count.describe('Sessions in which the finding could occur.'),
  evidenceSessionIds: z.array(z.string()),
});

const Signals = z
  .looseObject({
    windowId: z.string(),
    windowStartAt: Time,
    windowEndAt: Time.describe('Seven days after `windowStartAt`.'),
    analysedAt: Time,
    sessionCount: count,
    feedbackCount: count,
    candidates: z.array(Candidate).describe('Problems that occurred in several sessions, or clearly in one.'),
    truncated: z.boolean(),
    lowConfidence: z.boolean(),
    latestGroupId: z.string().nullable().describe('Latest window with insights.'),
    dataStale: z.boolean().describe('Whether there is newer activity.'),
    canRequest: z.boolean().describe('Whether insights can be requested without `force`.'),
  })
  .meta({ id: 'StudySignals' });

export const getStudySignals = operation({
  command: 'studies signals',
  summary: 'Read the signals of the latest seven days of a study',
  description:
    'Computed without a model, a few seconds after new activity. Returns 404 before the first analysis.',
  path: '/signals',
  response: Signals,
  feature: studies.readOne,
});

const Finding = z
  .looseObject({
    id: z.string(),
    fingerprint: z.string().describe('Identifies the finding across windows.'),
    dimension: z.string(),
    subject: z.object({ kind: z.string(), id: z.string(), label: z.string() }),
    title: z.string(),
    status: z.enum(['new', 'recurring', 'regressed', 'resolved']),
    occurrenceCount: count.describe('Number of windows with the finding.'),
    lastSeenWindowId: z.string(),
    firstSeenAt: Time,
    lastSeenAt: Time,
    resolvedAt: Time.nullable(),
    dismissedAt: Time.nullable().describe(
      'Set if a user dismissed the finding. The status is still updated.',
    ),
    updatedAt: Time,
    windows: z.array(
      z.object({ windowId: z.string(), at: Time, affected: count, total: count, fired: z.boolean() }),
    ),
  })
  .meta({ id: 'StudyFinding' });

export const listStudyFindings = operation({
  command: 'studies findings',
  summary: 'List the findings of a study',
  description: 'Most recently changed first, including dismissed ones.',
  path: '/findings',
  query: z.object(historyPage),
  response: pageOf(Finding, 'StudyFindingPage'),
  feature: studies.list,
});

export const dismissedFields = { id: z.string(), projectId: z.string(), dismissed: z.boolean() };
const FindingDismissed = z
  .object({ studyId: z.string(), ...dismissedFields })
  .meta({ id: 'StudyFindingDismissed' });

export const dismissStudyFinding = operation({
  summary: 'Dismiss a finding of a study',
  command: 'studies dismiss-finding',
  method: 'POST',
  path: '/findings/{findingId}/dismiss',
  response: FindingDismissed,
  feature: studies.write,
});

export const undismissStudyFinding = operation({
  summary: 'Restore a dismissed finding of a study',
  command: 'studies undismiss-finding',
  method: 'POST',
  path: '/findings/{findingId}/undismiss',
  response: FindingDismissed,
  feature: studies.write,
});

export const WindowInsights = z
  .looseObject({
    ...WaveInsights.omit({ waveId: true }).shape,
    windowId: z.string(),
    windowStartAt: Time,
    windowEndAt: Time,
  })
  .meta({ id: 'StudyWindowInsights' });

export const getStudyWindowInsights = operation({
  summary: 'Read the insights into a window of a study',
  command: 'studies window-insights',
  description: 'Returns 404 until insights are requested.',
  path: '/windows/{windowId}/insights',
  response: WindowInsights,
  feature: studies.readOne,
});

export const requestedFields = {
  projectId: z.string(),
  windowId: z.string(),
  status: z.literal('pending'),
};

export const requestStudyInsights = operation({
  summary: 'Request insights into the latest seven days of a study',
  command: 'studies request-insights',
  description:
    'If a language model is configured, it adds causes and remedies to the signals, which is billed. Uses one unit of `insightsPerDay`. Returns 409 before the first analysis. Poll `getStudyWindowInsights`.',
  method: 'POST',
  path: '/insights',
  body: InsightsRequest.meta({ id: 'StudyInsightsRequest' }),
  example: {},
  status: 202,
  response: z.object({ studyId: z.string(), ...requestedFields }).meta({ id: 'StudyInsightsRequested' }),
  errors: ['CONFLICT'],
  spends: true,
  feature: studies.write,
});

export const canceledFields = {
  projectId: z.string(),
  windowId: z.string(),
  canceled: z.literal(true),
};
export const InsightsCancel = z.strictObject({ windowId: z.string().min(1).max(200) });

export const cancelStudyInsights = operation({
  summary: 'Cancel a request for insights into a study',
  command: 'studies cancel-insights',
  description: 'Succeeds even if the insights are complete.',
  method: 'DELETE',
  path: '/insights',
  body: InsightsCancel.meta({ id: 'StudyInsightsCancelRequest' }),
  example: { windowId: '{windowId}' },
  response: z.object({ studyId: z.string(), ...canceledFields }).meta({ id: 'StudyInsightsCanceled' }),
  feature: studies.always,
});
