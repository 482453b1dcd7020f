export { cancelConformanceRun } from '../conformance-runs/cancel.ts';
export {
  finalizeConformanceIngestRun,
  heartbeatConformanceIngestRun,
  reportConformanceRun,
  startConformanceIngestRun,
  upsertConformanceIngestReport,
} from '../conformance-runs/ingest.ts';
export { getConformanceReport, getConformanceRun, listConformanceRuns } from '../conformance-runs/read.ts';
export { startConformanceRun } from '../conformance-runs/start.ts';
export {
  deleteServerContractBaseline,
  getServerContractBaseline,
  setServerContractBaseline,
} from '../contract-checks/baseline.ts';
export { checkServerContract } from '../contract-checks/check.ts';
export { checkOAuth } from '../live/check-oauth.ts';
export { runDoctor, watchDoctor } from '../live/doctor.ts';
export { exportServer } from '../live/export.ts';
export {
  callTool,
  getPrompt,
  listPrompts,
  listResources,
  listTools,
  readResource,
} from '../live/primitives.ts';
export { validateServer } from '../live/validate.ts';
export { getServerChecks, listServerCheckResults, listServerChecks } from '../server-checks/read.ts';
export { deleteServerChecks, setServerChecks } from '../server-checks/write.ts';
export { cancelServerConnection } from '../server-connections/cancel.ts';
export { createServerConnection } from '../server-connections/create.ts';
export { getServerConnection } from '../server-connections/get.ts';
export { importOAuthTokens } from '../server-connections/import-tokens.ts';
export { retryServerConnectionValidation } from '../server-connections/retry-validation.ts';
export { watchServerConnection } from '../server-connections/watch.ts';
export { listServerSkills } from '../server-skills/list.ts';
export { getServerSkill, readServerSkillFile } from '../server-skills/read.ts';
export { renderServerWidget } from '../server-widgets/render.ts';
export { createProjectServer } from '../servers/create.ts';
export { deleteProjectServer } from '../servers/delete.ts';
export { getProjectServer, listProjectServers } from '../servers/read.ts';
export { updateProjectServer } from '../servers/update.ts';
export { closeTunnel } from '../tunnels/close.ts';
export { createTunnel } from '../tunnels/create.ts';
export { listTunnels } from '../tunnels/list.ts';
