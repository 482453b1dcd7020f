import * as agent from './groups/agent.ts';
import * as aliases from './groups/aliases.ts';
import * as directories from './groups/directories.ts';
import * as environments from './groups/environments.ts';
import * as evals from './groups/evals.ts';
import * as projects from './groups/projects.ts';
import * as servers from './groups/servers.ts';
import * as studies from './groups/studies.ts';
import * as swarms from './groups/swarms.ts';
import * as webhooks from './groups/webhooks.ts';
import type { Operation, OperationsOf } from './operation.ts';

/** Operations in the groups that are loaded together (`domain/operations.ts`). */
const groups = [
  projects,
  servers,
  directories,
  environments,
  evals,
  swarms,
  studies,
  agent,
  webhooks,
  aliases,
];

/** Operations by ID, which is the name of the export. */
export type Operations = OperationsOf<
  typeof projects.declared &
    typeof servers.declared &
    typeof directories.declared &
    typeof environments.declared &
    typeof evals.declared &
    typeof swarms.declared &
    typeof studies.declared &
    typeof agent.declared &
    typeof webhooks.declared &
    typeof aliases.declared
>;
export type OperationId = keyof Operations;

/** All operations, with their schemas. Code without need of schemas reads `routes.ts`. */
export const operationList: readonly Operation[] = groups.flatMap(({ operations }) => operations);
