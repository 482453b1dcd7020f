export { cancelReadinessRun } from '../readiness-runs/cancel.ts';
export { getReadinessReport, getReadinessRun, listReadinessRuns } from '../readiness-runs/read.ts';
export { startClaudeReadinessRun, startOpenAIReadinessRun } from '../readiness-runs/start.ts';
export {
  createOrganizationRegistryServer,
  deleteOrganizationRegistryServer,
  listOrganizationRegistryServers,
  listRegistryServers,
  updateOrganizationRegistryServer,
} from '../registry/cards.ts';
export { listRegistryConnections } from '../registry/connections.ts';
export {
  getRegistryDirectoryServer,
  listRegistryDirectorySources,
  searchRegistryDirectory,
} from '../registry/directory.ts';
export { createRegistryGuestToken } from '../registry/guest-token.ts';
export {
  installRegistryDirectoryServer,
  installRegistryServer,
  uninstallRegistryServer,
} from '../registry/install.ts';
