import type { OperationId, Operations } from '../contract/index.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getMe } from './account/get-me.ts';
import { listOrganizations } from './account/list-organizations.ts';
import { getHostCompatCatalog } from './catalog/get-host-catalog.ts';
import { listModels } from './catalog/list-models.ts';
import type { ContextFor } from './context.ts';
import { callTool } from './live/call-tool.ts';
import { checkOAuth } from './live/check-oauth.ts';
import { runDoctor } from './live/doctor.ts';
import { exportServer } from './live/export.ts';
import { getPrompt } from './live/get-prompt.ts';
import { importOAuthTokens } from './live/import-tokens.ts';
import { listPrompts, listResources, listTools } from './live/list-primitives.ts';
import { readResource } from './live/read-resource.ts';
import { validateServer } from './live/validate.ts';
import { createProject } from './projects/create.ts';
import { deleteProject } from './projects/delete.ts';
import { getProjectCapabilities } from './projects/get-capabilities.ts';
import { listProjects } from './projects/list.ts';
import { updateProject } from './projects/update.ts';
import { cancelServerConnection } from './server-connections/cancel.ts';
import { createServerConnection } from './server-connections/create.ts';
import { getServerConnection } from './server-connections/get.ts';
import { retryServerConnectionValidation } from './server-connections/retry-validation.ts';
import { createProjectServer } from './servers/create.ts';
import { deleteProjectServer } from './servers/delete.ts';
import { getProjectServer } from './servers/get.ts';
import { listProjectServers } from './servers/list.ts';
import { updateProjectServer } from './servers/update.ts';
import { listChatSessions } from './sessions/list-chat-sessions.ts';
import { listSessions } from './sessions/list-sessions.ts';

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
  listChatSessions,
  listSessions,
  listModels,
  getHostCompatCatalog,
};
