import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { studies } from './study-feature.ts';
import { InsightsRequest, WaveInsights } from './swarm-insights.ts';

const operation = operationsIn({
  area: 'Studies',
  path: '/projects/{projectId}/studies/{studyId}',
  access: 'project member',
});

const count = z.number().int().min(0);
const rate = z.number().nullable().describe('`null` where there is nothing to divide by.');

const Metrics = z
  .looseObject({
    population: z.enum(['real', 'synthetic']),
    sessions: count,
    visitors: count.nullable().describe('`null` for those that models play.'),
    turns: count,
    toolCalls: count,
    failedToolCalls: count,
    toolFailureRate: rate,
    unansweredTurns: count.describe('Messages that got no reply.'),
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
  summary: 'Read how a study is going',
  description:
    'By `population`: `real`, the people who came by the link, or `synthetic`, the sessions of journeys in the same environment. 404 while there are none.',
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
    guestCreditsToday: z.number().describe('Of `dailyCreditCap`.'),
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
  summary: 'Read who uses a study, and what it costs',
  description: '`scan.truncated` says that only the latest sessions were counted. 404 while there are none.',
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
  sliceTotal: count.describe('Sessions that could show it.'),
  evidenceSessionIds: z.array(z.string()),
});

const Signals = z
  .looseObject({
    windowId: z.string(),
    windowStartAt: Time,
    windowEndAt: Time.describe('Seven days later.'),
    analysedAt: Time,
    sessionCount: count,
    feedbackCount: count,
    candidates: z.array(Candidate).describe('What went wrong for several, or for one clearly.'),
    truncated: z.boolean(),
    lowConfidence: z.boolean(),
    latestGroupId: z.string().nullable().describe('The latest window that has insights.'),
    dataStale: z.boolean().describe('More has happened since.'),
    canRequest: z.boolean().describe('Whether insights can be asked for without `force`.'),
  })
  .meta({ id: 'StudySignals' });

export const getStudySignals = operation({
  command: 'studies signals',
  summary: 'Read what stands out in the latest seven days of a study',
  description:
    'Counted, without a model, some seconds after anything happens. 404 while nothing was analysed.',
  path: '/signals',
  response: Signals,
  feature: studies.readOne,
});

const Finding = z
  .looseObject({
    id: z.string(),
    fingerprint: z.string().describe('The same for the same thing in every window.'),
    dimension: z.string(),
    subject: z.object({ kind: z.string(), id: z.string(), label: z.string() }),
    title: z.string(),
    status: z.enum(['new', 'recurring', 'regressed', 'resolved']),
    occurrenceCount: count.describe('In how many windows it was seen.'),
    lastSeenWindowId: z.string(),
    firstSeenAt: Time,
    lastSeenAt: Time,
    resolvedAt: Time.nullable(),
    dismissedAt: Time.nullable().describe('Somebody does not want to see it. Its status goes on as before.'),
    updatedAt: Time,
    windows: z.array(
      z.object({ windowId: z.string(), at: Time, affected: count, total: count, fired: z.boolean() }),
    ),
  })
  .meta({ id: 'StudyFinding' });

export const listStudyFindings = operation({
  command: 'studies findings',
  summary: 'List what keeps going wrong in a study',
  description: 'Those changed last come first, the dismissed ones too.',
  path: '/findings',
  query: z.object(historyPage),
  response: pageOf(Finding, 'StudyFindingPage'),
  feature: studies.read({ items: [] }),
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
  summary: 'Take the dismissal of a finding of a study back',
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
  summary: 'Read the insights into seven days of a study',
  command: 'studies window-insights',
  description: '404 until somebody has asked for them.',
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
  summary: 'Ask for insights into the latest seven days of a study',
  command: 'studies request-insights',
  description:
    'A language model adds causes and remedies to what was counted, where there is one. Takes one unit of `insightsPerDay`; what the language model costs is billed. 409 before anything was analysed. Poll the GET.',
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
  summary: 'No longer ask for insights into seven days of a study',
  command: 'studies cancel-insights',
  description: 'Says the same when they are there already.',
  method: 'DELETE',
  path: '/insights',
  body: InsightsCancel.meta({ id: 'StudyInsightsCancelRequest' }),
  example: { windowId: '{windowId}' },
  response: z.object({ studyId: z.string(), ...canceledFields }).meta({ id: 'StudyInsightsCanceled' }),
  feature: studies.always,
});
