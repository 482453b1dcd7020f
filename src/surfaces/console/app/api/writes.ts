import type { ConsoleClient } from '../../../client/console.ts';
import type { Client } from '../../../client/index.ts';

/** An operation of the public API or a console-only one. */
export type OperationName = keyof Client | keyof ConsoleClient;

/** Queries that several writes invalidate. */
const runLists = ['listEvalSuiteRuns', 'listEvalRuns', 'listEvalSuites'] as const;
const study = ['getStudy', 'listStudies'] as const;
const chatBrowser = ['getChatSession', 'chatSessionBrowserTrace'] as const;
const cards = ['listOrganizationRegistryServers', 'listRegistryServers'] as const;
const installed = ['listRegistryConnections', 'listProjectServers'] as const;
const studyInsights = ['getStudySignals', 'getStudyWindowInsights', 'getStudy'] as const;

/**
 * For each write, the queries it invalidates; empty if it affects nothing on screen, because a test fails for
 * writes without an entry. A deletion omits the query of the deleted resource, which would get a 404.
 */
export const staleAfter: Partial<Record<OperationName, readonly OperationName[]>> = {
  // Suites and cases
  createEvalSuite: ['listEvalSuites'],
  updateEvalSuite: ['getEvalSuite', 'listEvalSuites', 'listEvalSuiteRevisions'],
  updateEvalSuiteSchedule: ['getEvalSuite'],
  syncEvalSuiteFile: ['listEvalSuites', 'getEvalSuite', 'listEvalCases'],
  deleteEvalSuite: ['listEvalSuites', 'listEvalRuns'],
  createEvalCase: ['listEvalCases', 'getEvalSuite'],
  createEvalCaseFromStudySession: ['listEvalCases', 'getEvalSuite'],
  updateEvalCase: ['getEvalCase', 'listEvalCases', 'getEvalSuite'],
  deleteEvalCase: ['listEvalCases', 'getEvalSuite'],
  // Runs
  createEvalRun: runLists,
  createEvalRunGroup: runLists,
  rerunEvalRun: runLists,
  cancelEvalRun: ['getEvalRun', 'listEvalRunTrialStates'],
  requestEvalRunInsights: ['getEvalRun'],
  requestEvalRunJudge: ['getEvalRun'],
  createGateWaiver: ['getEvalRun', 'getGateWaiver'],
  revokeGateWaiver: ['getEvalRun', 'getGateWaiver'],
  updateShare: ['getShare'],
  // Servers
  createProjectServer: ['listProjectServers'],
  updateProjectServer: [
    'listProjectServers',
    'getProjectServer',
    'runDoctor',
    'listTools',
    'listPrompts',
    'listResources',
  ],
  deleteProjectServer: ['listProjectServers', 'listServerGroups', 'listClients'],
  setServerContractBaseline: ['getServerContractBaseline'],
  setServerChecks: ['getServerChecks'],
  closeTunnel: ['listTunnels'],
  checkServerContract: [],
  exportServer: [],
  validateServer: [],
  getPrompt: [],
  callTool: [],
  renderServerWidget: [],
  startConformanceRun: ['listConformanceRuns'],
  cancelConformanceRun: ['getConformanceRun', 'listConformanceRuns'],
  startClaudeReadinessRun: ['listReadinessRuns'],
  startOpenAIReadinessRun: ['listReadinessRuns'],
  cancelReadinessRun: ['getReadinessRun', 'listReadinessRuns'],
  // Registry
  installRegistryServer: installed,
  installRegistryDirectoryServer: installed,
  uninstallRegistryServer: installed,
  createOrganizationRegistryServer: cards,
  updateOrganizationRegistryServer: cards,
  deleteOrganizationRegistryServer: cards,
  createRegistryGuestToken: [],
  // Configuration of runs
  createClient: ['listClients'],
  duplicateClient: ['listClients'],
  updateClient: ['listClients', 'getClient', 'resolveEnvironment'],
  deleteClient: ['listClients'],
  createEnvironment: ['listEnvironments'],
  updateEnvironment: ['listEnvironments', 'getEnvironment', 'resolveEnvironment'],
  archiveEnvironment: ['listEnvironments', 'getEnvironment', 'getClient'],
  restoreEnvironment: ['listEnvironments', 'getEnvironment', 'getClient'],
  createServerGroup: ['listServerGroups'],
  createSecret: ['listSecrets'],
  updateSecret: ['listSecrets'],
  deleteSecret: ['listSecrets', 'resolveEnvironment'],
  // Webhooks
  createWebhook: ['listWebhooks'],
  updateWebhook: ['listWebhooks', 'getWebhook'],
  deleteWebhook: ['listWebhooks'],
  testWebhook: ['getWebhook', 'listWebhooks', 'listWebhookDeliveries'],
  replayWebhook: ['getWebhook', 'listWebhookDeliveries'],
  redeliverWebhook: ['listWebhookDeliveries', 'getWebhookDelivery'],
  rotateWebhookSecret: [],
  // Studies
  publishStudy: ['listStudies', 'getStudy'],
  updateStudy: study,
  rebindStudy: study,
  rotateStudyLink: study,
  unpublishStudy: study,
  setStudyGuestExecution: study,
  requestStudyInsights: studyInsights,
  cancelStudyInsights: studyInsights,
  upsertStudyMember: ['listStudyMembers'],
  removeStudyMember: ['listStudyMembers'],
  dismissStudyFinding: ['listStudyFindings'],
  undismissStudyFinding: ['listStudyFindings'],
  // Swarms
  createPersona: ['listPersonas'],
  updatePersona: ['listPersonas', 'getPersona'],
  deletePersona: ['listPersonas'],
  generatePersonas: [],
  createSwarm: ['listSwarms'],
  updateSwarm: ['listSwarms', 'getSwarm'],
  archiveSwarm: ['listSwarms'],
  createJourney: ['listJourneys'],
  updateJourney: ['listJourneys', 'getJourney'],
  archiveJourney: ['listJourneys'],
  launchJourneyRun: ['listJourneyRuns', 'getSwarmOverview'],
  cancelJourneyRun: ['getJourneyRun'],
  requestWaveInsights: ['getJourneyRun', 'getWaveInsights'],
  cancelWaveInsights: ['getJourneyRun', 'getWaveInsights'],
  dismissSwarmFinding: ['listSwarmFindings'],
  undismissSwarmFinding: ['listSwarmFindings'],
  // Chats
  chatSessionBrowserOpen: chatBrowser,
  chatSessionBrowserCommand: chatBrowser,
  chatSessionBrowserClose: chatBrowser,
  chatSessionBrowserNote: chatBrowser,
  // Projects and the organization
  createProject: ['listProjects'],
  updateProject: ['listProjects'],
  deleteProject: ['listProjects'],
  setSpendBudget: ['getSpendBudget'],
  clearSpendBudget: ['getSpendBudget'],
  updateOrganization: ['getSession', 'listOrganizations'],
  setMember: ['listMembers', 'getSession'],
  removeMember: ['listMembers', 'listKeys', 'listProjectMembers', 'getSession'],
  setProjectMember: ['listProjectMembers'],
  removeProjectMember: ['listProjectMembers'],
  createInvitation: ['listInvitations'],
  revokeInvitation: ['listInvitations'],
  createKey: ['listKeys'],
  revokeKey: ['listKeys'],
  createResetLink: [],
  // Account. Sign-in and profile return the new session, which the page stores.
  changePassword: ['listMySessions'],
  endSession: ['listMySessions'],
  unlinkIdentity: [],
  updateProfile: [],
  signIn: [],
  signOut: [],
  startOidc: [],
  finishOidc: [],
  requestReset: [],
  useLink: [],
};

/** For each write, further queries that a conflict shows to be outdated. */
export const staleAfterConflict: Partial<Record<OperationName, readonly OperationName[]>> = {
  installRegistryServer: ['listRegistryServers'],
  installRegistryDirectoryServer: ['searchRegistryDirectory'],
};

/** For each event that a stream reports, the queries it invalidates. */
export const staleAfterEvent = {
  'chat turn ended': ['getChatSession', 'getChatSessionTrace', 'listSessions'],
  'eval run decided': ['getEvalRun', 'listEvalRunTrialStates'],
  'journey run ended': [
    'getJourneyRun',
    'listJourneyRunSessions',
    'getJourneyRunScorecard',
    'getSwarmOverview',
    'listJourneyRuns',
    'listSwarmFindings',
  ],
} as const satisfies Record<string, readonly OperationName[]>;
