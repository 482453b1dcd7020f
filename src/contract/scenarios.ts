import { z } from 'zod';
import { InsightsEnvelope } from './insights.ts';
import { type Alias, operationsIn } from './operation.ts';
import { historyPage, lookupPage, pageOf } from './paging.ts';
import * as studyContract from './studies.ts';
import { studies } from './study-feature.ts';
import * as insights from './study-insights.ts';
import { StudySession, sessionDetailFields } from './study-sessions.ts';
import { InsightsRequest } from './swarm-insights.ts';

const operation = operationsIn({
  area: 'Studies (deprecated)',
  path: '/projects/{projectId}',
  access: 'project member',
});

/** A study under its first name: its id is that of a scenario, in the path and in answers. */
function firstNameOf<const Id extends string>(
  of: Id,
  shown: (answer: Record<string, unknown>) => Record<string, unknown> = (answer) => answer,
) {
  return {
    of,
    toInput: ({ scenarioId, ...input }) => ({
      ...input,
      // Of one that is in the query too it stays what it is.
      ...(scenarioId !== undefined && { studyId: scenarioId, scenarioId }),
    }),
    fromAnswer: (answer) => {
      const { studyId, ...rest } = shown(answer as Record<string, unknown>);
      return { ...rest, ...(studyId !== undefined && { scenarioId: studyId }) };
    },
  } as const satisfies Alias;
}

/** Without what was added later. */
const without =
  (...names: string[]) =>
  (answer: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(answer).filter(([name]) => !names.includes(name)));

const laterFields = ['published', 'environmentId', 'accessVersion', 'guestExecution', 'insights'];
const scenarioId = { scenarioId: z.string() };
const one = '/user-testing/scenarios/{scenarioId}';
const successor = '/projects/{projectId}/studies/{studyId}';

export const listScenarios = operation({
  command: 'scenarios list',
  summary: 'List the scenarios of a project',
  path: '/scenarios',
  query: z.object(lookupPage),
  response: pageOf(z.object(studyContract.summaryFields).meta({ id: 'ProjectScenario' }), 'ScenarioPage'),
  alias: firstNameOf('listStudies', ({ items, ...rest }) => ({
    ...rest,
    items: (items as Record<string, unknown>[]).map(
      without('published', 'environmentId', 'sessionsLately', 'lastSessionAt'),
    ),
  })),
  deprecated: '/projects/{projectId}/studies',
  feature: studies.read({ items: [] }),
});

export const getScenario = operation({
  command: 'scenarios get',
  summary: "Read a scenario's settings",
  path: '/scenarios/{scenarioId}',
  access: 'project member or visitor',
  response: z
    .object({ ...studyContract.summaryFields, ...studyContract.settingFields })
    .meta({ id: 'ScenarioDetail' }),
  alias: firstNameOf('getStudy', without(...laterFields)),
  deprecated: successor,
  feature: studies.readOne,
});

export const getUserTestingScenario = operation({
  command: 'user-testing get',
  summary: 'Read a scenario and what was found out about it',
  path: one,
  access: 'project member or visitor',
  response: z
    .object({
      ...studyContract.updatedFields,
      environmentId: z.string().nullable().optional(),
      insights: InsightsEnvelope.optional(),
    })
    .meta({ id: 'UserTestingScenarioDetail' }),
  alias: firstNameOf('getStudy', (answer) => {
    const kept = ['id', 'projectId', 'name', 'description', 'mode', 'environmentId', 'insights'];
    return Object.fromEntries(Object.entries(answer).filter(([name]) => kept.includes(name)));
  }),
  deprecated: successor,
  feature: studies.readOne,
});

const environmentStudy = '/projects/{projectId}/environments/{environmentId}/study';

export const publishScenario = operation({
  command: 'scenarios publish',
  summary: 'Publish an environment as a scenario',
  method: 'PUT',
  path: '/environments/{environmentId}/scenario',
  access: 'project admin',
  body: z.strictObject(studyContract.publishing).meta({ id: 'ScenarioPublishRequest' }),
  example: { mode: 'anyone_with_link' },
  response: z.object(studyContract.publishedAnswer).meta({ id: 'Scenario' }),
  errors: ['CONFLICT'],
  alias: firstNameOf('publishStudy'),
  deprecated: environmentStudy,
  feature: studies.write,
});

export const unpublishScenario = operation({
  command: 'scenarios unpublish',
  summary: 'Unpublish the scenario of an environment',
  method: 'DELETE',
  path: '/environments/{environmentId}/scenario',
  access: 'project admin',
  query: z.object({ scenarioId: z.string().max(200).optional() }),
  response: z.object(studyContract.unpublishedAnswer).meta({ id: 'ScenarioDeleted' }),
  alias: firstNameOf('unpublishStudy'),
  deprecated: environmentStudy,
  feature: studies.always,
});

export const updateUserTestingScenario = operation({
  command: 'user-testing update',
  summary: 'Edit a scenario',
  method: 'PATCH',
  path: one,
  body: studyContract.updating.meta({ id: 'ScenarioUpdateRequest' }),
  example: { name: 'Harbour desk' },
  response: z.object(studyContract.updatedFields).meta({ id: 'UserTestingScenario' }),
  errors: ['CONFLICT'],
  alias: firstNameOf('updateStudy'),
  deprecated: successor,
  feature: studies.write,
});

export const listUserTestingSessions = operation({
  command: 'user-testing sessions',
  summary: 'List the sessions of a scenario',
  path: `${one}/sessions`,
  query: z.object(historyPage),
  response: pageOf(StudySession, 'UserTestingSessionPage'),
  alias: firstNameOf('listStudySessions'),
  deprecated: `${successor}/sessions`,
  feature: studies.read({ items: [] }),
});

export const getUserTestingSession = operation({
  command: 'user-testing session',
  summary: 'Read what was said in a session of a scenario',
  path: `${one}/sessions/{sessionId}`,
  query: z.object(historyPage),
  response: z.object({ ...scenarioId, ...sessionDetailFields }).meta({ id: 'UserTestingSessionDetail' }),
  alias: firstNameOf('getStudySession', without('visitor', 'feedback')),
  deprecated: `${successor}/sessions/{sessionId}`,
  feature: studies.readOne,
});

export const setGuestExecution = operation({
  command: 'user-testing set-guest-execution',
  summary: 'Decide what guests of a scenario may do',
  method: 'PUT',
  path: `${one}/guest-execution`,
  access: 'project admin',
  body: studyContract.setStudyGuestExecution.body,
  example: studyContract.setStudyGuestExecution.example,
  response: studyContract.setStudyGuestExecution.response,
  alias: firstNameOf('setStudyGuestExecution'),
  deprecated: `${successor}/guest-execution`,
  feature: studies.write,
});

export const rotateScenarioLink = operation({
  command: 'user-testing rotate-link',
  summary: 'Replace the link of a scenario',
  method: 'POST',
  path: `${one}/rotate-link`,
  response: z.object(studyContract.rotatedFields).meta({ id: 'ScenarioLinkRotated' }),
  errors: ['CONFLICT'],
  alias: firstNameOf('rotateStudyLink'),
  deprecated: `${successor}/rotate-link`,
  feature: studies.write,
});

export const upsertScenarioMember = operation({
  command: 'user-testing invite',
  summary: 'Invite somebody to a scenario',
  method: 'PUT',
  path: `${one}/members`,
  body: studyContract.MemberRequest.meta({ id: 'ScenarioMemberRequest' }),
  example: { email: 'ada@example.com' },
  response: z
    .object({ ...scenarioId, ...studyContract.memberFields, ...studyContract.updatedFields })
    .meta({ id: 'ScenarioMemberUpserted' }),
  errors: ['CONFLICT'],
  alias: firstNameOf('upsertStudyMember'),
  deprecated: `${successor}/members`,
  feature: studies.write,
});

export const removeScenarioMember = operation({
  command: 'user-testing remove-member',
  summary: 'No longer invite somebody to a scenario',
  method: 'DELETE',
  path: `${one}/members/{memberIdOrEmail}`,
  response: z.object({ ...scenarioId, ...studyContract.removedFields }).meta({ id: 'ScenarioMemberRemoved' }),
  alias: firstNameOf('removeStudyMember'),
  deprecated: `${successor}/members/{memberIdOrEmail}`,
  feature: studies.write,
});

export const rebindScenario = operation({
  command: 'user-testing rebind',
  summary: 'Move a scenario to another environment',
  method: 'POST',
  path: `${one}/rebind`,
  body: z.strictObject({ environmentId: z.string().min(1).max(200) }).meta({ id: 'ScenarioRebindRequest' }),
  example: { environmentId: '{environmentId}' },
  response: studyContract.rebindStudy.response.meta({ id: 'ScenarioRebound' }),
  errors: ['CONFLICT'],
  alias: firstNameOf('rebindStudy'),
  deprecated: `${successor}/rebind`,
  feature: studies.write,
});

export const getUserTestingMetrics = operation({
  command: 'user-testing metrics',
  summary: 'Read how a scenario is going',
  path: `${one}/metrics`,
  query: insights.getStudyMetrics.query,
  response: insights.getStudyMetrics.response.meta({ id: 'ScenarioMetrics' }),
  alias: firstNameOf('getStudyMetrics'),
  deprecated: `${successor}/metrics`,
  feature: studies.readOne,
});

export const getUserTestingUsage = operation({
  command: 'user-testing usage',
  summary: 'Read who uses a scenario, and what it costs',
  path: `${one}/usage`,
  response: insights.getStudyUsage.response.meta({ id: 'ScenarioUsage' }),
  alias: firstNameOf('getStudyUsage'),
  deprecated: `${successor}/usage`,
  feature: studies.readOne,
});

export const getUserTestingSignals = operation({
  command: 'user-testing signals',
  summary: 'Read what stands out in the latest seven days of a scenario',
  path: `${one}/signals`,
  response: insights.getStudySignals.response.meta({ id: 'ScenarioSignals' }),
  alias: firstNameOf('getStudySignals'),
  deprecated: `${successor}/signals`,
  feature: studies.readOne,
});

export const listUserTestingFindings = operation({
  command: 'user-testing findings',
  summary: 'List what keeps going wrong in a scenario',
  path: `${one}/findings`,
  query: z.object(historyPage),
  response: insights.listStudyFindings.response.meta({ id: 'ScenarioFindingPage' }),
  alias: firstNameOf('listStudyFindings'),
  deprecated: `${successor}/findings`,
  feature: studies.read({ items: [] }),
});

export const getUserTestingWindowInsights = operation({
  command: 'user-testing window-insights',
  summary: 'Read the insights into seven days of a scenario',
  path: `${one}/windows/{windowId}/insights`,
  response: insights.WindowInsights.meta({ id: 'ScenarioWindowInsights' }),
  alias: firstNameOf('getStudyWindowInsights'),
  deprecated: `${successor}/windows/{windowId}/insights`,
  feature: studies.readOne,
});

export const requestUserTestingInsights = operation({
  command: 'user-testing request-insights',
  summary: 'Ask for insights into the latest seven days of a scenario',
  method: 'POST',
  path: `${one}/insights`,
  body: InsightsRequest.meta({ id: 'ScenarioInsightsRequest' }),
  example: {},
  status: 202,
  response: z
    .object({ ...scenarioId, ...insights.requestedFields })
    .meta({ id: 'ScenarioInsightsRequested' }),
  errors: ['CONFLICT'],
  spends: true,
  alias: firstNameOf('requestStudyInsights'),
  deprecated: `${successor}/insights`,
  feature: studies.write,
});

export const cancelUserTestingInsights = operation({
  command: 'user-testing cancel-insights',
  summary: 'No longer ask for insights into seven days of a scenario',
  method: 'DELETE',
  path: `${one}/insights`,
  body: insights.InsightsCancel.meta({ id: 'ScenarioInsightsCancelRequest' }),
  example: { windowId: '{windowId}' },
  response: z.object({ ...scenarioId, ...insights.canceledFields }).meta({ id: 'ScenarioInsightsCanceled' }),
  alias: firstNameOf('cancelStudyInsights'),
  deprecated: `${successor}/insights`,
  feature: studies.always,
});

const FindingDismissed = z
  .object({ ...scenarioId, ...insights.dismissedFields })
  .meta({ id: 'ScenarioFindingDismissed' });

export const dismissUserTestingFinding = operation({
  command: 'user-testing dismiss-finding',
  summary: 'Dismiss a finding of a scenario',
  method: 'POST',
  path: `${one}/findings/{findingId}/dismiss`,
  response: FindingDismissed,
  alias: firstNameOf('dismissStudyFinding'),
  deprecated: `${successor}/findings/{findingId}/dismiss`,
  feature: studies.write,
});

export const undismissUserTestingFinding = operation({
  command: 'user-testing undismiss-finding',
  summary: 'Take the dismissal of a finding of a scenario back',
  method: 'POST',
  path: `${one}/findings/{findingId}/undismiss`,
  response: FindingDismissed,
  alias: firstNameOf('undismissStudyFinding'),
  deprecated: `${successor}/findings/{findingId}/undismiss`,
  feature: studies.write,
});
