import type { OperationId, Operations } from '../contract/index.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getMe } from './account/get-me.ts';
import { listOrganizations } from './account/list-organizations.ts';
import { getHostCompatCatalog } from './catalog/get-host-catalog.ts';
import { listModels } from './catalog/list-models.ts';
import type { ContextFor } from './context.ts';
import { createProject } from './projects/create.ts';
import { deleteProject } from './projects/delete.ts';
import { getProjectCapabilities } from './projects/get-capabilities.ts';
import { listProjects } from './projects/list.ts';
import { updateProject } from './projects/update.ts';
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
  listChatSessions,
  listSessions,
  listModels,
  getHostCompatCatalog,
};
