/**
 * Every operation that has a second name. The names of journeys, waves, studies and clients are the vocabulary of the
 * project; the names here are accepted for existing clients of the API.
 */
import { z } from 'zod';
import { aliasesOf, renamed } from './alias.ts';
import { ClientConfig, ClientConfigInput } from './client-config.ts';
import * as clients from './clients.ts';
import { Name } from './fields.ts';
import { InsightsEnvelope } from './insights.ts';
import * as journeyRuns from './journey-runs.ts';
import * as journeys from './journeys.ts';
import { lookupPage, pageOf, Time } from './paging.ts';
import * as studies from './studies.ts';
import * as studyInsights from './study-insights.ts';
import * as studySessions from './study-sessions.ts';
import * as swarmDrafts from './swarm-drafts.ts';
import * as swarmInsights from './swarm-insights.ts';

const goalFields = {
  journeyId: 'goalId',
  waveId: 'swarmRunId',
  sessionsPerTarget: 'iterations',
  journeyCount: 'goalCount',
} as const;

const goal = aliasesOf(
  { ...journeys, ...journeyRuns, ...swarmDrafts, ...swarmInsights },
  {
    area: 'Swarms (later names)',
    fields: goalFields,
    summary: { journey: 'goal', wave: 'swarm run' },
    command: { journey: 'goal', wave: 'swarm-run' },
    schema: { Journey: 'Goal', Wave: 'SwarmRun' },
    deprecated: false,
  },
);

const scenario = aliasesOf(
  { ...studies, ...studySessions, ...studyInsights },
  {
    area: 'Studies (deprecated)',
    fields: { studyId: 'scenarioId' },
    summary: { studies: 'scenarios', study: 'scenario' },
    command: { studies: 'user-testing' },
    schema: {
      StudySummary: 'ProjectScenario',
      StudyUpdated: 'UserTestingScenario',
      StudySessionPage: 'UserTestingSessionPage',
      StudySessionDetail: 'UserTestingSessionDetail',
      Study: 'Scenario',
    },
    deprecated: true,
  },
);

const host = aliasesOf(clients, {
  area: 'Clients (deprecated)',
  fields: {},
  summary: {},
  command: { clients: 'hosts' },
  schema: { Client: 'Host' },
  deprecated: true,
  ownVerbs: true,
});

const goals = {
  listGoals: goal('listJourneys', '/goals'),
  createGoal: goal('createJourney', '/goals'),
  generateGoals: goal('generateJourneys', '/goals/generate'),
  getGoal: goal('getJourney', '/goals/{goalId}'),
  updateGoal: goal('updateJourney', '/goals/{goalId}', {
    body: z
      .strictObject(renamed(journeys.journeyChanges, goalFields))
      .superRefine(journeys.together('iterations', 'maxTurns'))
      .meta({ id: 'GoalUpdateRequest' }),
  }),
  archiveGoal: goal('archiveJourney', '/goals/{goalId}'),
  listGoalRuns: goal('listJourneyRuns', '/goals/{goalId}/runs'),
  launchGoalRun: goal('launchJourneyRun', '/goals/{goalId}/runs'),
  getGoalRun: goal('getJourneyRun', '/goal-runs/{journeyRunId}'),
  listGoalRunSessions: goal('listJourneyRunSessions', '/goal-runs/{journeyRunId}/sessions'),
  cancelGoalRun: goal('cancelJourneyRun', '/goal-runs/{journeyRunId}/cancel'),
  getGoalRunScorecard: goal('getJourneyRunScorecard', '/goal-runs/{journeyRunId}/scorecard'),
  getGoalsOverview: goal('getSwarmOverview', '/goals-overview', { command: 'goals overview' }),
  listGoalFindings: goal('listSwarmFindings', '/goal-findings'),
  dismissGoalFinding: goal('dismissSwarmFinding', '/goal-findings/{findingId}/dismiss'),
  undismissGoalFinding: goal('undismissSwarmFinding', '/goal-findings/{findingId}/undismiss'),
  getSwarmRunInsights: goal('getWaveInsights', '/swarm-runs/{swarmRunId}/insights'),
  requestSwarmRunInsights: goal('requestWaveInsights', '/swarm-runs/{swarmRunId}/insights'),
  cancelSwarmRunInsights: goal('cancelWaveInsights', '/swarm-runs/{swarmRunId}/insights'),
};

const same = { sameResponse: true } as const;
const one = '/user-testing/scenarios/{scenarioId}';

const scenarios = {
  listScenarios: scenario('listStudies', '/scenarios', {
    query: z.object(lookupPage),
    omit: ['published', 'environmentId', 'sessionsLately', 'lastSessionAt'],
  }),
  getScenario: scenario('getStudy', '/scenarios/{scenarioId}', {
    omit: ['published', 'environmentId', 'accessVersion', 'guestExecution', 'insights'],
  }),
  getUserTestingScenario: scenario('getStudy', one, {
    command: 'user-testing get',
    response: z
      .object({
        ...studies.updatedFields,
        environmentId: z.string().nullable().optional(),
        insights: InsightsEnvelope.optional(),
      })
      .meta({ id: 'UserTestingScenarioDetail' }),
  }),
  publishScenario: scenario('publishStudy', '/environments/{environmentId}/scenario', {
    command: 'scenarios publish',
    example: { mode: 'anyone_with_link' },
  }),
  unpublishScenario: scenario('unpublishStudy', '/environments/{environmentId}/scenario', {
    command: 'scenarios unpublish',
  }),
  updateUserTestingScenario: scenario('updateStudy', one, { command: 'user-testing update' }),
  listUserTestingSessions: scenario('listStudySessions', `${one}/sessions`),
  getUserTestingSession: scenario('getStudySession', `${one}/sessions/{sessionId}`, {
    omit: ['visitor', 'feedback'],
  }),
  setGuestExecution: scenario('setStudyGuestExecution', `${one}/guest-execution`),
  rotateScenarioLink: scenario('rotateStudyLink', `${one}/rotate-link`),
  upsertScenarioMember: scenario('upsertStudyMember', `${one}/members`, { errors: ['CONFLICT'] }),
  removeScenarioMember: scenario('removeStudyMember', `${one}/members/{memberIdOrEmail}`),
  rebindScenario: scenario('rebindStudy', `${one}/rebind`, same),
  getUserTestingMetrics: scenario('getStudyMetrics', `${one}/metrics`, same),
  getUserTestingUsage: scenario('getStudyUsage', `${one}/usage`, same),
  getUserTestingSignals: scenario('getStudySignals', `${one}/signals`, same),
  listUserTestingFindings: scenario('listStudyFindings', `${one}/findings`, same),
  getUserTestingWindowInsights: scenario(
    'getStudyWindowInsights',
    `${one}/windows/{windowId}/insights`,
    same,
  ),
  requestUserTestingInsights: scenario('requestStudyInsights', `${one}/insights`),
  cancelUserTestingInsights: scenario('cancelStudyInsights', `${one}/insights`),
  dismissUserTestingFinding: scenario('dismissStudyFinding', `${one}/findings/{findingId}/dismiss`),
  undismissUserTestingFinding: scenario('undismissStudyFinding', `${one}/findings/{findingId}/undismiss`),
};

const Host = z
  .object({
    id: z.string(),
    name: z.string(),
    hostConfigId: z.string(),
    modelId: z.string(),
    serverCount: z.number().int(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Host' });

const HostDetail = z
  .object({ id: z.string(), name: z.string(), config: ClientConfig })
  .meta({ id: 'HostDetail' });

/** Operations on clients that take IDs only, and overwrite without comparing the state the caller has read. */
const hosts = {
  listHosts: host('listClients', '/hosts', {
    query: z.object(lookupPage),
    response: pageOf(Host, 'HostPage'),
  }),
  createHost: host('createClient', '/hosts', { response: HostDetail }),
  getHost: host('getClient', '/hosts/{hostId}', { query: undefined, response: HostDetail, errors: [] }),
  updateHost: host('updateClient', '/hosts/{hostId}', {
    description:
      '`config` replaces the whole configuration. Concurrent edits are not detected: the last one wins.',
    body: z
      .strictObject({ name: Name.optional(), config: ClientConfigInput.optional() })
      .refine((body) => Object.keys(body).length > 0, 'Give a name or a config')
      .meta({ id: 'HostUpdateRequest' }),
    example: { name: 'Claude, strict' },
    response: HostDetail,
    errors: [],
  }),
  setHostServers: host('setClientServers', '/hosts/{hostId}/servers', {
    body: z.strictObject(clients.serverFields).meta({ id: 'HostServersRequest' }),
    example: { serverIds: ['{serverId}'] },
    response: HostDetail,
    errors: [],
  }),
  duplicateHost: host('duplicateClient', '/hosts/{hostId}/duplicate', { response: HostDetail }),
  deleteHost: host('deleteClient', '/hosts/{hostId}', {
    body: z.strictObject({
      force: z.boolean().optional().describe('Ignored: a client that is in use is never deleted.'),
    }),
    example: {},
  }),
};

/** Cancels a run with `DELETE` on its path, like `cancelJourneyRun`. */
const stop = {
  deleteJourneyRun: {
    ...journeyRuns.cancelJourneyRun,
    command: 'journey-runs stop',
    method: 'DELETE',
    path: '/projects/{projectId}/journey-runs/{journeyRunId}',
    alias: { of: 'cancelJourneyRun' },
  },
} as const;

export const aliases = { ...stop, ...hosts, ...goals, ...scenarios };
