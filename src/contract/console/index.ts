import { type Declaration, isDeclaration, type Operation, paramNames } from '../operation.ts';
import * as audit from './audit.ts';
import * as installation from './installation.ts';
import * as keys from './keys.ts';
import * as members from './members.ts';
import * as projectMembers from './project-members.ts';
import * as sessions from './sessions.ts';

/** What people do in the console and no key can do: served below `/console/api`, and on no other surface. */
const declared = { ...sessions, ...keys, ...members, ...projectMembers, ...audit, ...installation };

type Declared = typeof declared;

export type ConsoleOperations = {
  [Name in keyof Declared as Declared[Name] extends Declaration ? Name : never]: Declared[Name];
};
export type ConsoleOperationId = keyof ConsoleOperations;

export const consoleOperationList: readonly Operation[] = Object.entries<unknown>(declared).flatMap(
  ([id, value]) =>
    isDeclaration(value)
      ? // Requests that may come from another page are refused, and so are API keys; a page may choose an organization.
        [
          {
            ...value,
            id,
            params: paramNames(value.path),
            errors: [...(value.errors ?? []), 'FORBIDDEN' as const, 'NOT_FOUND' as const],
          },
        ]
      : [],
);
