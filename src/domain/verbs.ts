/**
 * Every declared operation is exported here under its operation ID; `invoke.ts` does not compile if one is missing.
 */
export { getMe } from './account/get-me.ts';
export { listOrganizations } from './account/list-organizations.ts';
export { listAgentOperations } from './agent/operations.ts';
export { runAgentTurn } from './agent/turn.ts';
export { getArtifact } from './artifacts/read.ts';
export { browserAgentClose, chatSessionBrowserClose } from './browser-sessions/close.ts';
export { browserAgentCommand, chatSessionBrowserCommand } from './browser-sessions/command.ts';
export { browserAgentNote, chatSessionBrowserNote } from './browser-sessions/note.ts';
export {
  browserAgentSession,
  chatSessionBrowserOpen,
  createChatSessionBrowser,
} from './browser-sessions/open.ts';
export {
  browserAgentArtifact,
  browserAgentSessions,
  browserAgentTrace,
  chatSessionBrowserArtifact,
  chatSessionBrowserTrace,
} from './browser-sessions/trace.ts';
export { generateEvalCases } from './case-drafts/generate.ts';
export { getHostCompatCatalog } from './catalog/get-host-catalog.ts';
export { listModels } from './catalog/list-models.ts';
export { listChatSessions, listSessions } from './chat-sessions/list.ts';
export { getChatSession, getChatSessionTrace } from './chat-sessions/read.ts';
export { sendChatMessage, streamChatMessage } from './chat-sessions/send.ts';
export { createClient } from './clients/create.ts';
export { deleteClient } from './clients/delete.ts';
export { duplicateClient } from './clients/duplicate.ts';
export { getClient } from './clients/get.ts';
export {
  createHost,
  deleteHost,
  duplicateHost,
  getHost,
  listHosts,
  setHostServers,
  updateHost,
} from './clients/hosts.ts';
export { listClients } from './clients/list.ts';
export { setClientServers } from './clients/set-servers.ts';
export { updateClient } from './clients/update.ts';
export { cancelConformanceRun } from './conformance-runs/cancel.ts';
export {
  finalizeConformanceIngestRun,
  heartbeatConformanceIngestRun,
  reportConformanceRun,
  startConformanceIngestRun,
  upsertConformanceIngestReport,
} from './conformance-runs/ingest.ts';
export { getConformanceReport, getConformanceRun, listConformanceRuns } from './conformance-runs/read.ts';
export { startConformanceRun } from './conformance-runs/start.ts';
export {
  deleteServerContractBaseline,
  getServerContractBaseline,
  setServerContractBaseline,
} from './contract-checks/baseline.ts';
export { checkServerContract } from './contract-checks/check.ts';
export { archiveEnvironment, restoreEnvironment } from './environments/archive.ts';
export { createEnvironment, ensureAdhocEnvironment } from './environments/create.ts';
export { getEnvironment, getEnvironmentCapabilities } from './environments/get.ts';
export { listEnvironments } from './environments/list.ts';
export { nameEnvironment } from './environments/name.ts';
export { resolveEnvironment } from './environments/resolve.ts';
export { updateEnvironment } from './environments/update.ts';
export {
  createEvalArtifactLink,
  createEvalIngestUploadUrl,
  getEvalArtifact,
  getEvalArtifactByLink,
  uploadEvalArtifactByLink,
} from './eval-ingest/artifact-links.ts';
export { getEvalIngestCapabilities } from './eval-ingest/capabilities.ts';
export { reportCaseRunEvaluations } from './eval-ingest/evaluations.ts';
export { reportEvalArtifact } from './eval-ingest/report-artifact.ts';
export {
  finalizeEvalIngestRun,
  ingestEvalRunIterations,
  reportEvalRun,
  startEvalIngestRun,
} from './eval-ingest/runs.ts';
export { uploadEvalArtifact } from './eval-ingest/upload-artifact.ts';
export { backtestEvalRun } from './eval-runs/backtest/checks.ts';
export { backtestEvalRunJudge } from './eval-runs/backtest/judge.ts';
export { cancelEvalRun } from './eval-runs/cancel.ts';
export { compareEvalRun } from './eval-runs/compare/compare.ts';
export { getEvalRunGate } from './eval-runs/gate/report.ts';
export { createGateWaiver, getGateWaiver, revokeGateWaiver } from './eval-runs/gate/waivers.ts';
export { requestEvalRunInsights } from './eval-runs/insights.ts';
export { requestEvalRunJudge } from './eval-runs/judge/request.ts';
export { createEvalRun } from './eval-runs/launch/create.ts';
export { getEvalRunDisclosure } from './eval-runs/launch/disclose.ts';
export { createEvalRunGroup } from './eval-runs/launch/group.ts';
export { getEvalRunRerunPreview, rerunEvalRun } from './eval-runs/launch/rerun.ts';
export { getEvalRunStageAnalytics, listEvalSuiteStageAnalytics } from './eval-runs/read/analytics.ts';
export { watchEvalRun } from './eval-runs/read/events.ts';
export { getEvalIteration, getEvalRunSteps, listEvalRunIterations } from './eval-runs/read/iterations.ts';
export { exportTracesOtlp } from './eval-runs/read/otlp.ts';
export { getEvalRun, listEvalRuns, listEvalSuiteRuns } from './eval-runs/read/run.ts';
export { getEvalRunDecisionSummary } from './eval-runs/read/summary.ts';
export { getEvalIterationTrace } from './eval-runs/read/trace.ts';
export { listEvalRunTrialStates } from './eval-runs/read/trial-states.ts';
export { replayEvalRun } from './eval-runs/replay/replay.ts';
export { exportEvalSuiteFile } from './eval-suite-files/export.ts';
export { syncFileOwnedEvalSuite } from './eval-suite-files/from-file.ts';
export { syncEvalSuiteFile } from './eval-suite-files/sync.ts';
export { createEvalCases } from './eval-suites/cases/batch.ts';
export { createEvalCase } from './eval-suites/cases/create.ts';
export { getEvalCase, listEvalCases } from './eval-suites/cases/list.ts';
export { deleteEvalCase, updateEvalCase } from './eval-suites/cases/update.ts';
export { createEvalSuite } from './eval-suites/create.ts';
export { deleteEvalSuite } from './eval-suites/delete.ts';
export { getEvalSuite, listEvalSuiteRevisions, listEvalSuites } from './eval-suites/read.ts';
export { updateEvalSuiteSchedule } from './eval-suites/schedule.ts';
export { attachEvalSuiteEnvironment, updateEvalSuite } from './eval-suites/update.ts';
export { cancelJourneyRun } from './journey-runs/cancel.ts';
export {
  dismissSwarmFinding,
  listSwarmFindings,
  undismissSwarmFinding,
} from './journey-runs/findings.ts';
export { cancelWaveInsights, getWaveInsights, requestWaveInsights } from './journey-runs/insights.ts';
export { launchJourneyRun } from './journey-runs/launch/launch.ts';
export { watchJourneyRun } from './journey-runs/read/events.ts';
export { getSwarmOverview } from './journey-runs/read/overview.ts';
export { getJourneyRun, getJourneyRunScorecard, listJourneyRuns } from './journey-runs/read/run.ts';
export { listJourneyRunSessions } from './journey-runs/read/sessions.ts';
export { createJourney } from './journeys/create.ts';
export { getJourney, listJourneys } from './journeys/read.ts';
export { archiveJourney, updateJourney } from './journeys/update.ts';
export { clearSpendBudget, getSpendBudget, setSpendBudget } from './limits/budget-verbs.ts';
export { callTool } from './live/call-tool.ts';
export { checkOAuth } from './live/check-oauth.ts';
export { runDoctor, watchDoctor } from './live/doctor.ts';
export { exportServer } from './live/export.ts';
export { getPrompt } from './live/get-prompt.ts';
export { listPrompts, listResources, listTools } from './live/list-primitives.ts';
export { readResource } from './live/read-resource.ts';
export { validateServer } from './live/validate.ts';
export { createPersona } from './personas/create.ts';
export { generateJourneys, generatePersonas } from './personas/drafts/generate.ts';
export { getPersona, listPersonas } from './personas/read.ts';
export { deletePersona, updatePersona } from './personas/update.ts';
export { getPluginVersion } from './plugins/get-version.ts';
export { listProjectPlugins } from './plugins/list.ts';
export { createProject } from './projects/create.ts';
export { deleteProject } from './projects/delete.ts';
export { getProjectCapabilities } from './projects/get-capabilities.ts';
export { listProjects } from './projects/list.ts';
export { updateProject } from './projects/update.ts';
export { cancelReadinessRun } from './readiness-runs/cancel.ts';
export { getReadinessReport, getReadinessRun, listReadinessRuns } from './readiness-runs/read.ts';
export { startClaudeReadinessRun, startOpenAIReadinessRun } from './readiness-runs/start.ts';
export {
  createOrganizationRegistryServer,
  deleteOrganizationRegistryServer,
  listOrganizationRegistryServers,
  listRegistryServers,
  updateOrganizationRegistryServer,
} from './registry/cards.ts';
export { listRegistryConnections } from './registry/connections.ts';
export {
  getRegistryDirectoryServer,
  listRegistryDirectorySources,
  searchRegistryDirectory,
} from './registry/directory.ts';
export { createRegistryGuestToken } from './registry/guest-token.ts';
export {
  installRegistryDirectoryServer,
  installRegistryServer,
  uninstallRegistryServer,
} from './registry/install.ts';
export { createSecret } from './secrets/create.ts';
export { deleteSecret } from './secrets/delete.ts';
export { getSecret } from './secrets/get.ts';
export { listSecrets } from './secrets/list.ts';
export { updateSecret } from './secrets/update.ts';
export { getServerChecks, listServerCheckResults, listServerChecks } from './server-checks/read.ts';
export { deleteServerChecks, setServerChecks } from './server-checks/write.ts';
export { cancelServerConnection } from './server-connections/cancel.ts';
export { createServerConnection } from './server-connections/create.ts';
export { getServerConnection } from './server-connections/get.ts';
export { importOAuthTokens } from './server-connections/import-tokens.ts';
export { retryServerConnectionValidation } from './server-connections/retry-validation.ts';
export { watchServerConnection } from './server-connections/watch.ts';
export { createServerGroup } from './server-groups/create.ts';
export { listServerGroups } from './server-groups/list.ts';
export { listServerSkills } from './server-skills/list.ts';
export { getServerSkill, readServerSkillFile } from './server-skills/read.ts';
export { renderServerWidget } from './server-widgets/render.ts';
export { createProjectServer } from './servers/create.ts';
export { deleteProjectServer } from './servers/delete.ts';
export { getProjectServer } from './servers/get.ts';
export { listProjectServers } from './servers/list.ts';
export { updateProjectServer } from './servers/update.ts';
export { getShare, updateShare } from './shares/share.ts';
export { getProjectSkill } from './skills/get.ts';
export { listProjectSkills } from './skills/list.ts';
export { getStudyMetrics, getStudyUsage } from './studies/analysis/figures.ts';
export {
  dismissStudyFinding,
  listStudyFindings,
  undismissStudyFinding,
} from './studies/analysis/findings.ts';
export {
  cancelStudyInsights,
  getStudyWindowInsights,
  requestStudyInsights,
} from './studies/analysis/insights.ts';
export { getStudySignals } from './studies/analysis/windows.ts';
export { createEvalCaseFromStudySession } from './studies/make-case.ts';
export { listStudyMembers, removeStudyMember, upsertStudyMember } from './studies/members.ts';
export { publishStudy, unpublishStudy } from './studies/publish.ts';
export { getStudy, listStudies } from './studies/read.ts';
export { getStudySession, listStudySessions } from './studies/sessions.ts';
export { rebindStudy, rotateStudyLink, setStudyGuestExecution, updateStudy } from './studies/update.ts';
export { getSwarm, listSwarms } from './swarms/read.ts';
export { archiveSwarm, createSwarm, updateSwarm } from './swarms/write.ts';
export { closeTunnel } from './tunnels/close.ts';
export { createTunnel } from './tunnels/create.ts';
export { listTunnels } from './tunnels/list.ts';
export { redeliverWebhook, replayWebhook, testWebhook } from './webhooks/again.ts';
export {
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
} from './webhooks/read.ts';
export { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from './webhooks/write.ts';
