import { operations as consoleOperationList } from '../../src/contract/console/index.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { operationList } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { programs } from './programs.ts';

/** The operations of the API and of the console. */
export const everyOperation: readonly Operation[] = [...operationList, ...consoleOperationList];

export function isOfConsole({ area }: Operation): boolean {
  return area === 'Console';
}

/** The prefix of an operation's path. */
export function baseOf(operation: Operation): '/api/v1' | '/console/api' {
  return isOfConsole(operation) ? '/console/api' : '/api/v1';
}

/** Operations whose example starts a browser. */
const inBrowser = new Set([
  'browserAgentCommand',
  'browserAgentSession',
  'chatSessionBrowserCommand',
  'chatSessionBrowserOpen',
  'createChatSessionBrowser',
  'renderServerWidget',
]);

/** The refusal that every caller gets on a machine without a program that the operation needs. */
export function refusedHere({ id }: Operation): { code: ErrorCode; details: object } | undefined {
  if (programs.chromium.there || !inBrowser.has(id)) return undefined;
  return { code: 'FEATURE_NOT_SUPPORTED', details: { reason: 'BROWSER_UNAVAILABLE' } };
}
