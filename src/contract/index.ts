import * as account from './account.ts';
import * as catalog from './catalog.ts';
import * as oauth from './oauth.ts';
import { isOperation, type Operation } from './operation.ts';
import * as projects from './projects.ts';
import * as connections from './server-connections.ts';
import * as diagnostics from './server-diagnostics.ts';
import * as serverExport from './server-export.ts';
import * as primitives from './server-primitives.ts';
import * as servers from './servers.ts';
import * as sessions from './sessions.ts';

const declared = {
  ...account,
  ...projects,
  ...servers,
  ...diagnostics,
  ...primitives,
  ...serverExport,
  ...oauth,
  ...connections,
  ...sessions,
  ...catalog,
};

type Declared = typeof declared;

/** Every operation by its id. A surface that wants to know what exists reads this and nothing else. */
export type Operations = {
  [Name in keyof Declared as Declared[Name] extends Operation ? Name : never]: Declared[Name];
};
export type OperationId = keyof Operations;

export const operationList: readonly Operation[] = Object.values<unknown>(declared).filter(isOperation);
