import type { OperationId, Operations } from '../contract/index.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getMe } from './account/get-me.ts';
import { listOrganizations } from './account/list-organizations.ts';
import { getHostCompatCatalog } from './catalog/get-host-catalog.ts';
import { listModels } from './catalog/list-models.ts';
import { createClient } from './clients/create.ts';
import { deleteClient } from './clients/delete.ts';
import { duplicateClient } from './clients/duplicate.ts';
import { getClient } from './clients/get.ts';
import { listClients } from './clients/list.ts';
import { setClientServers } from './clients/set-servers.ts';
import { updateClient } from './clients/update.ts';
import type { ContextFor } from './context.ts';
import { archiveEnvironment, restoreEnvironment } from './environments/archive.ts';
import { createEnvironment, ensureAdhocEnvironment } from './environments/create.ts';
import { getEnvironment, getEnvironmentCapabilities } from './environments/get.ts';
import { listEnvironments } from './environments/list.ts';
import { nameEnvironment } from './environments/name.ts';
import { resolveEnvironment } from './environments/resolve.ts';
import { updateEnvironment } from './environments/update.ts';
import {
  createHost,
  deleteHost,
  duplicateHost,
  getHost,
  listHosts,
  setHostServers,
  updateHost,
} from './hosts/aliases.ts';
import { callTool } from './live/call-tool.ts';
import { checkOAuth } from './live/check-oauth.ts';
import { runDoctor } from './live/doctor.ts';
import { exportServer } from './live/export.ts';
import { getPrompt } from './live/get-prompt.ts';
import { importOAuthTokens } from './live/import-tokens.ts';
import { listPrompts, listResources, listTools } from './live/list-primitives.ts';
import { readResource } from './live/read-resource.ts';
import { validateServer } from './live/validate.ts';
import { getPluginVersion } from './plugins/get-version.ts';
import { listProjectPlugins } from './plugins/list.ts';
import { createProject } from './projects/create.ts';
import { deleteProject } from './projects/delete.ts';
import { getProjectCapabilities } from './projects/get-capabilities.ts';
import { listProjects } from './projects/list.ts';
import { updateProject } from './projects/update.ts';
import { createSecret } from './secrets/create.ts';
import { deleteSecret } from './secrets/delete.ts';
import { getSecret } from './secrets/get.ts';
import { listSecrets } from './secrets/list.ts';
import { updateSecret } from './secrets/update.ts';
import { cancelServerConnection } from './server-connections/cancel.ts';
import { createServerConnection } from './server-connections/create.ts';
import { getServerConnection } from './server-connections/get.ts';
import { retryServerConnectionValidation } from './server-connections/retry-validation.ts';
import { createServerGroup } from './server-groups/create.ts';
import { listServerGroups } from './server-groups/list.ts';
import { createProjectServer } from './servers/create.ts';
import { deleteProjectServer } from './servers/delete.ts';
import { getProjectServer } from './servers/get.ts';
import { listProjectServers } from './servers/list.ts';
import { updateProjectServer } from './servers/update.ts';
import { listChatSessions } from './sessions/list-chat-sessions.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { getProjectSkill } from './skills/get.ts';
import { listProjectSkills } from './skills/list.ts';

/** What an operation does, typed by its declaration. */
export type Verb<Id extends OperationId> = (
  context: ContextFor<Operations[Id]['access']>,
  input: InputOf<Operations[Id]>,
) => OutputOf<Operations[Id]> | Promise<OutputOf<Operations[Id]>>;

export type AnyVerb = (context: unknown, input: unknown) => unknown;

/** Every declared operation has its verb here, or this does not compile. */
export const verbs: { [Id in OperationId]: Verb<Id> } = {
  getMe,
  listOrganizations,
  listProjects,
  createProject,
  updateProject,
  deleteProject,
  getProjectCapabilities,
  listProjectServers,
  createProjectServer,
  getProjectServer,
  updateProjectServer,
  deleteProjectServer,
  validateServer,
  runDoctor,
  checkOAuth,
  listTools,
  listPrompts,
  listResources,
  readResource,
  callTool,
  getPrompt,
  exportServer,
  importOAuthTokens,
  createServerConnection,
  getServerConnection,
  cancelServerConnection,
  retryServerConnectionValidation,
  listClients,
  createClient,
  getClient,
  updateClient,
  setClientServers,
  duplicateClient,
  deleteClient,
  listHosts,
  createHost,
  getHost,
  updateHost,
  setHostServers,
  duplicateHost,
  deleteHost,
  listServerGroups,
  createServerGroup,
  listSecrets,
  createSecret,
  getSecret,
  updateSecret,
  deleteSecret,
  listProjectSkills,
  getProjectSkill,
  listProjectPlugins,
  getPluginVersion,
  listEnvironments,
  createEnvironment,
  getEnvironmentCapabilities,
  getEnvironment,
  updateEnvironment,
  resolveEnvironment,
  ensureAdhocEnvironment,
  nameEnvironment,
  archiveEnvironment,
  restoreEnvironment,
  listChatSessions,
  listSessions,
  listModels,
  getHostCompatCatalog,
};
