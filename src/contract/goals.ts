import { z } from 'zod';
import {
  canceledFields,
  JourneyRun,
  JourneyRunSession,
  launchedFields,
  launchFields,
} from './journey-runs.ts';
import { archived, Journey, journeyChanges, journeyExample, journeyFields, together } from './journeys.ts';
import { operationsIn } from './operation.ts';
import { historyPage, pageOf } from './paging.ts';
import { GenerationDrafts, journeyDraftFields, offerWords, oneOffer } from './swarm-drafts.ts';
import { swarms } from './swarm-feature.ts';
import * as insights from './swarm-insights.ts';
import { InsightsRequest, WaveInsights, waveCanceled, waveRequested } from './swarm-insights.ts';

/** How the later names differ. */
const laterNames = {
  journeyId: 'goalId',
  waveId: 'swarmRunId',
  sessionsPerTarget: 'iterations',
  journeyCount: 'goalCount',
} as const;
type LaterNames = typeof laterNames;
type Later<Shape> = {
  [Name in keyof Shape as Name extends keyof LaterNames ? LaterNames[Name] : Name]: Shape[Name];
};

function later<const Shape extends object>(shape: Shape): Later<Shape> {
  return respelled(shape, laterNames) as Later<Shape>;
}

const firstNames = Object.fromEntries(Object.entries(laterNames).map(([first, later]) => [later, first]));

function respelled(record: object, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [Object.hasOwn(names, name) ? names[name] : name, value]),
  );
}

/** The declaration of an operation that is another one under its later names. */
function laterNameOf<const Id extends string>(of: Id) {
  return {
    of,
    toInput: (input: Record<string, unknown>) => {
      const { body, ...rest } = respelled(input, firstNames);
      const isRecord = typeof body === 'object' && body !== null;
      return { ...rest, ...(body !== undefined && { body: isRecord ? respelled(body, firstNames) : body }) };
    },
    fromAnswer: (answer: unknown) => {
      const { items, ...rest } = respelled(answer as object, laterNames);
      if (!Array.isArray(items)) return respelled(answer as object, laterNames);
      return { ...rest, items: (items as object[]).map((item) => respelled(item, laterNames)) };
    },
  };
}

const operation = operationsIn({
  area: 'Swarms (later names)',
  path: '/projects/{projectId}',
  access: 'project member',
});

const Goal = z.object(later(Journey.shape)).meta({ id: 'Goal' });
const GoalRun = z.object(later(JourneyRun.shape)).meta({ id: 'GoalRun' });
const none = { items: [] };

export const listGoals = operation({
  summary: "List a project's goals",
  path: '/goals',
  query: z.object(historyPage),
  response: pageOf(Goal, 'GoalPage'),
  alias: laterNameOf('listJourneys'),
  feature: swarms.read(none),
});

export const createGoal = operation({
  summary: 'Create a goal',
  method: 'POST',
  path: '/goals',
  body: z.strictObject(later(journeyFields)).meta({ id: 'GoalCreateRequest' }),
  example: { ...journeyExample, iterations: 3 },
  status: 201,
  response: Goal,
  errors: ['CONFLICT'],
  idempotency: 'transaction',
  alias: laterNameOf('createJourney'),
  feature: swarms.write,
});

export const generateGoals = operation({
  summary: 'Draft goals for a persona',
  command: 'goals generate',
  method: 'POST',
  path: '/goals/generate',
  body: z
    .strictObject(later(journeyDraftFields))
    .refine(oneOffer, offerWords)
    .meta({ id: 'GoalGenerateRequest' }),
  example: {
    serverAttachmentId: '{serverGroupId}',
    persona: { name: 'Ada', role: 'harbour master in a hurry' },
  },
  response: GenerationDrafts,
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVER_UNREACHABLE', 'TIMEOUT', 'OAUTH_REQUIRED'],
  readOnly: true,
  spends: true,
  alias: laterNameOf('generateJourneys'),
  feature: swarms.write,
});

export const getGoal = operation({
  summary: 'Read a goal',
  path: '/goals/{goalId}',
  response: Goal,
  alias: laterNameOf('getJourney'),
  feature: swarms.readOne,
});

export const updateGoal = operation({
  summary: 'Edit a goal',
  method: 'PATCH',
  path: '/goals/{goalId}',
  body: z
    .strictObject(later(journeyChanges))
    .superRefine(together('iterations', 'maxTurns'))
    .meta({ id: 'GoalUpdateRequest' }),
  example: { goal: 'Find out how long the largest ship in the harbour is.' },
  response: Goal,
  alias: laterNameOf('updateJourney'),
  feature: swarms.write,
});

export const archiveGoal = operation({
  summary: 'Archive a goal',
  method: 'DELETE',
  path: '/goals/{goalId}',
  response: z.object(archived).meta({ id: 'GoalArchived' }),
  alias: laterNameOf('archiveJourney'),
  feature: swarms.always,
});

export const listGoalRuns = operation({
  summary: 'List the runs of a goal',
  path: '/goals/{goalId}/runs',
  query: z.object(historyPage),
  response: pageOf(GoalRun, 'GoalRunPage'),
  alias: laterNameOf('listJourneyRuns'),
  feature: swarms.read(none),
});

export const launchGoalRun = operation({
  summary: 'Launch a goal',
  command: 'goals launch',
  method: 'POST',
  path: '/goals/{goalId}/runs',
  body: z.strictObject(later(launchFields)).meta({ id: 'GoalRunLaunchRequest' }),
  example: {},
  status: 202,
  response: z.object(later(launchedFields)).meta({ id: 'GoalRunLaunched' }),
  errors: ['CONFLICT', 'OAUTH_REQUIRED', 'FEATURE_NOT_SUPPORTED'],
  idempotency: 'verb',
  spends: true,
  alias: laterNameOf('launchJourneyRun'),
  feature: swarms.write,
});

export const getGoalRun = operation({
  summary: 'Read a goal run',
  path: '/goal-runs/{journeyRunId}',
  response: GoalRun,
  alias: laterNameOf('getJourneyRun'),
  feature: swarms.readOne,
});

export const listGoalRunSessions = operation({
  summary: 'List the sessions of a goal run',
  path: '/goal-runs/{journeyRunId}/sessions',
  query: z.object(historyPage),
  response: pageOf(
    z.object(later(JourneyRunSession.shape)).meta({ id: 'GoalRunSession' }),
    'GoalRunSessionPage',
  ),
  alias: laterNameOf('listJourneyRunSessions'),
  feature: swarms.read(none),
});

export const cancelGoalRun = operation({
  summary: 'Cancel a goal run',
  method: 'POST',
  path: '/goal-runs/{journeyRunId}/cancel',
  response: z.object(canceledFields).meta({ id: 'GoalRunCanceled' }),
  errors: ['CONFLICT'],
  alias: laterNameOf('cancelJourneyRun'),
  feature: swarms.always,
});

export const getGoalRunScorecard = operation({
  summary: 'Read the scorecard of a goal run',
  path: '/goal-runs/{journeyRunId}/scorecard',
  response: insights.RunScorecard,
  alias: { of: 'getJourneyRunScorecard' },
  feature: swarms.readOne,
});

/** The answers of these have both names. */
const same = { area: 'Swarms (later names)' } as const;

export const getGoalsOverview = {
  ...insights.getSwarmOverview,
  ...same,
  command: 'goals overview',
  path: '/projects/{projectId}/goals-overview',
  alias: { of: 'getSwarmOverview' },
} as const;

export const listGoalFindings = {
  ...insights.listSwarmFindings,
  ...same,
  command: 'goal-findings list',
  path: '/projects/{projectId}/goal-findings',
  alias: { of: 'listSwarmFindings' },
} as const;

export const dismissGoalFinding = {
  ...insights.dismissSwarmFinding,
  ...same,
  command: 'goal-findings dismiss',
  path: '/projects/{projectId}/goal-findings/{findingId}/dismiss',
  alias: { of: 'dismissSwarmFinding' },
} as const;

export const undismissGoalFinding = {
  ...insights.undismissSwarmFinding,
  ...same,
  command: 'goal-findings undismiss',
  path: '/projects/{projectId}/goal-findings/{findingId}/undismiss',
  alias: { of: 'undismissSwarmFinding' },
} as const;

export const getSwarmRunInsights = operation({
  summary: 'Read the insights into a swarm run',
  command: 'swarm-runs insights',
  path: '/swarm-runs/{swarmRunId}/insights',
  response: z.object(later(WaveInsights.shape)).meta({ id: 'SwarmRunInsights' }),
  alias: laterNameOf('getWaveInsights'),
  feature: swarms.readOne,
});

export const requestSwarmRunInsights = operation({
  summary: 'Ask for insights into a swarm run',
  command: 'swarm-runs request-insights',
  method: 'POST',
  path: '/swarm-runs/{swarmRunId}/insights',
  body: InsightsRequest.meta({ id: 'SwarmRunInsightsRequest' }),
  example: {},
  status: 202,
  response: z.object(later(waveRequested)).meta({ id: 'SwarmRunInsightsRequested' }),
  errors: ['CONFLICT'],
  spends: true,
  alias: laterNameOf('requestWaveInsights'),
  feature: swarms.write,
});

export const cancelSwarmRunInsights = operation({
  summary: 'No longer ask for insights into a swarm run',
  command: 'swarm-runs cancel-insights',
  method: 'DELETE',
  path: '/swarm-runs/{swarmRunId}/insights',
  response: z.object(later(waveCanceled)).meta({ id: 'SwarmRunInsightsCanceled' }),
  errors: ['CONFLICT'],
  alias: laterNameOf('cancelWaveInsights'),
  feature: swarms.always,
});
