import { type Operation, type OperationsOf, operationsOf } from '../operation.ts';
import * as audit from './audit.ts';
import * as installation from './installation.ts';
import * as keys from './keys.ts';
import * as members from './members.ts';
import * as projectMembers from './project-members.ts';
import * as sessions from './sessions.ts';

/** Operations for signed-in users of the console, not available to API keys. Served only below `/console/api`. */
export const declared = { ...sessions, ...keys, ...members, ...projectMembers, ...audit, ...installation };

export type ConsoleOperations = OperationsOf<typeof declared>;
export type ConsoleOperationId = keyof ConsoleOperations;

/** Cross-site requests and API keys are refused, and the organization that the page selects may not exist. */
export const operations: readonly Operation[] = operationsOf('console', declared, ['FORBIDDEN', 'NOT_FOUND']);
