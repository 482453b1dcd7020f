import type { Operation } from '../../src/contract/operation.ts';
import { createConsoleLink } from '../../src/domain/operator/console-link.ts';
import { newId } from '../../src/platform/ids.ts';
import { sleepingBrowser } from './browser-fixtures.ts';
import {
  forgetSpending,
  identityOf,
  idOf,
  makeClient,
  roomForReadiness,
  signInOf,
  within,
} from './path-parameters.ts';
import { organizationOf } from './principals.ts';
import type { TestService } from './service.ts';
import { studyArrangements } from './study-arrangements.ts';

/** Operations whose example needs a resource in another state than the one it is created in. */
const arrangements: Record<
  string,
  (service: TestService, parameters: Record<string, string>) => Promise<Record<string, string>>
> = {
  nameEnvironment: async (service, { projectId }) => {
    const hostId = await makeClient(service, projectId as string, 'on the fly');
    const { body } = await service.post(`/projects/${projectId}/environments/ensure-adhoc`, { hostId });
    return { environmentId: body.environment.id };
  },
  // The widget of its tool does not exist, which is reported without starting a browser.
  renderServerWidget: async (service, { projectId }) => ({
    serverId: await idOf(
      service.post(`/projects/${projectId}/servers`, {
        name: newId('widgets'),
        url: await service.widgetUrl(),
      }),
    ),
  }),
  closeTunnel: async (service, { projectId }) => {
    const { body } = await service.post(`/projects/${projectId}/tunnels`, { name: newId('tunnel') });
    return { serverId: body.serverId };
  },
  getServerChecks: checkRegularly,
  deleteServerChecks: checkRegularly,
  // A run that is still queued.
  cancelConformanceRun: (service, { conformanceRunId }) =>
    within(
      service,
      `update conformance_runs set hosted = true, status = 'pending', outcome = null, completed_at = null where id = $1`,
      [conformanceRunId],
    ),
  upsertConformanceIngestReport: newConformanceRun,
  heartbeatConformanceIngestRun: newConformanceRun,
  finalizeConformanceIngestRun: newConformanceRun,
  createOrganizationRegistryServer: (service) =>
    within(service, `delete from registry_cards where name_key = 'weather'`, []),
  deleteOrganizationRegistryServer: newCard,
  uninstallRegistryServer: async (service, parameters) => {
    const card = await newCard(service, parameters);
    await service.post(`/projects/${parameters['projectId']}/registry/installs`, card);
    return card;
  },
  retryServerConnectionValidation: (service, { connectionRequestId }) =>
    within(service, `update server_connections set status = 'failed' where id = $1`, [connectionRequestId]),
  getEvalIterationTrace: (service, { runId, iterationId }) =>
    within(service, `insert into eval_traces (trial_id, run_id, body) values ($1, $2, $3)`, [
      iterationId,
      runId,
      '{"traceVersion":1,"messages":[]}',
    ]),
  compareEvalRun: (service, { runId }) =>
    within(
      service,
      `with earlier as (
         insert into eval_runs select (jsonb_populate_record(r, jsonb_build_object('id', 'run_00' || substr(r.id, 7),
           'status', 'completed', 'completed_at', now(), 'idempotency_key', null))).* from eval_runs r where r.id = $1
         returning id)
       insert into eval_run_snapshots select e.id, s.snapshot from earlier e, eval_run_snapshots s where s.run_id = $1`,
      [runId],
    ),
  rerunEvalRun: runIsOver,
  replayEvalRun: async (service, { runId }) => {
    const ended = newId('run');
    await within(
      service,
      `with ended as (
         insert into eval_runs select (jsonb_populate_record(r, jsonb_build_object('id', $2::text,
           'status', 'completed', 'completed_at', now(), 'idempotency_key', null))).* from eval_runs r where r.id = $1
         returning id)
       insert into eval_run_snapshots select e.id, s.snapshot from ended e, eval_run_snapshots s where s.run_id = $1`,
      [runId, ended],
    );
    return { runId: ended };
  },
  getServerContractBaseline: saveBaseline,
  deleteServerContractBaseline: saveBaseline,
  requestEvalRunJudge: runIsOver,
  requestEvalRunInsights: runIsOver,
  backtestEvalRunJudge: runIsOver,
  backtestEvalRun: runIsOver,
  getEvalRunStageAnalytics: (service, { runId }) =>
    within(
      service,
      `insert into eval_run_outcomes (run_id, suite_id, stages, completed_at)
       select id, suite_id, jsonb_build_object('schemaVersion', 1, 'measurementUnit', 'trial', 'runId', id,
         'suiteId', suite_id, 'totalTrials', 0, 'includedTrials', 0, 'slices', '[]'::jsonb, 'setup', '[]'::jsonb), now()
       from eval_runs where id = $1`,
      [runId],
    ),
  startClaudeReadinessRun: roomForReadiness,
  startOpenAIReadinessRun: roomForReadiness,
  cancelReadinessRun: (service, { readinessRunId }) =>
    within(service, `update readiness_runs set status = 'pending' where id = $1`, [readinessRunId]),
  getReadinessReport: (service, { readinessRunId }) =>
    within(service, 'update readiness_runs set report_body = $2 where id = $1', [
      readinessRunId,
      readinessReport,
    ]),
  launchJourneyRun: forgetSpending,
  launchGoalRun: forgetSpending,
  generatePersonas: forgetSpending,
  generateJourneys: forgetSpending,
  generateGoals: forgetSpending,
  getWaveInsights: (service, parameters) => askedForInsights(service, parameters, 'completed'),
  getSwarmRunInsights: (service, parameters) => askedForInsights(service, parameters, 'completed'),
  cancelWaveInsights: (service, parameters) => askedForInsights(service, parameters, 'pending'),
  cancelSwarmRunInsights: (service, parameters) => askedForInsights(service, parameters, 'pending'),
  requestWaveInsights: waveIsOver,
  requestSwarmRunInsights: waveIsOver,
  ...studyArrangements,
  chatSessionBrowserCommand: openBrowser,
  chatSessionBrowserNote: openBrowser,
  chatSessionBrowserTrace: openBrowser,
  chatSessionBrowserArtifact: openBrowser,
  chatSessionBrowserClose: openBrowser,
  signIn: forgetFailures,
  requestReset: forgetFailures,
  readLink: newLink,
  useLink: newLink,
  endSession: async (service) => ({ signInId: await signInOf(service) }),
  unlinkIdentity: async (service) => ({ identityId: await identityOf(service) }),
  restoreEnvironment: async (service, { projectId, environmentId }) => {
    const path = `/projects/${projectId}/environments/${environmentId}/archive`;
    await service.post(path, { expectedRevision: 1 });
    return {};
  },
};

/** A run without a report. */
async function newConformanceRun(
  service: TestService,
  { projectId }: Record<string, string>,
): Promise<Record<string, string>> {
  const run = { target: { kind: 'external' }, requestedSuites: ['protocol'] };
  const { body } = await service.post(`/projects/${projectId}/conformance-ingest/runs/start`, run);
  return { conformanceIngestRunId: body.runId };
}

async function newCard(
  service: TestService,
  { organizationId }: Record<string, string>,
): Promise<Record<string, string>> {
  const id = organizationId ?? (await organizationOf(service));
  const card = { name: newId('card'), transport: { url: await service.demoUrl() } };
  return { registryServerId: await idOf(service.post(`/organizations/${id}/registry/servers`, card)) };
}
/** A report as a run without findings writes it. */
const readinessReport = JSON.stringify({
  runId: 'rdy_fixture',
  readinessKind: 'claude',
  serverId: 'srv_fixture',
  serverUrl: 'https://weather.example.com/mcp',
  submissionMode: null,
  overallStatus: 'incomplete',
  lanes: [],
  stages: [],
  findings: [],
  authMode: 'headless',
  capabilities: [],
  allowSideEffects: false,
  policySnapshotDate: '2026-11-01',
  engineVersion: '1',
  sdkVersion: '0.1.0',
  generatedAt: 0,
});

function askedForInsights(
  service: TestService,
  { projectId, waveId }: Record<string, string>,
  status: string,
): Promise<Record<string, string>> {
  return within(
    service,
    `insert into wave_insights (project_id, wave_id, status, requested_by) values ($1, $2, $3, 'somebody')
     on conflict on constraint wave_insights_pkey do update set status = $3`,
    [projectId, waveId, status],
  );
}

function waveIsOver(
  service: TestService,
  { projectId, waveId }: Record<string, string>,
): Promise<Record<string, string>> {
  return within(
    service,
    `with gone as (delete from wave_insights where project_id = $1 and wave_id = $2)
     update journey_runs set status = 'completed', completed_at = now() where project_id = $1 and wave_id = $2`,
    [projectId, waveId],
  );
}

async function openBrowser(
  service: TestService,
  { projectId, sessionId }: Record<string, string>,
): Promise<Record<string, string>> {
  await sleepingBrowser(service, projectId as string, sessionId);
  return {};
}

async function forgetFailures(service: TestService): Promise<Record<string, string>> {
  return within(service, 'delete from brakes', []);
}

async function newLink(
  service: TestService,
  { memberId }: Record<string, string>,
): Promise<Record<string, string>> {
  return { consoleLink: (await createConsoleLink(service.db, memberId)).token };
}

async function saveBaseline(
  service: TestService,
  { serverId }: Record<string, string>,
): Promise<Record<string, string>> {
  return within(
    service,
    `insert into contract_baselines (server_id, project_id, hash, export)
     select id, project_id, 'sha256:0', '{"tools":[],"resources":[],"resourceTemplates":[],"prompts":[]}'
     from servers where id = $1 on conflict do nothing`,
    [serverId],
  );
}

/** Operations that inspect a run need one that has ended. */
function runIsOver(service: TestService, { runId }: Record<string, string>): Promise<Record<string, string>> {
  return within(
    service,
    `update eval_runs set status = 'completed', completed_at = clock_timestamp() where id = $1`,
    [runId],
  );
}

/** The parameters, with what the operation needs to succeed. */
export async function arrange(
  service: TestService,
  { id }: Pick<Operation, 'id'>,
  parameters: Record<string, string>,
): Promise<Record<string, string>> {
  return { ...parameters, ...(await arrangements[id]?.(service, parameters)) };
}

/** Whether an operation needs more than its parameters. */
export function isArranged({ id }: Pick<Operation, 'id'>): boolean {
  return Object.hasOwn(arrangements, id);
}

async function checkRegularly(
  service: TestService,
  { projectId, serverId }: Record<string, string>,
): Promise<Record<string, string>> {
  await service.request('PUT', `/projects/${projectId}/servers/${serverId}/checks`, { body: {} });
  return {};
}
