import { consoleOperationList } from '../../src/contract/console/index.ts';
import { operationList } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';

/** Of the API and of the console. */
export const everyOperation: readonly Operation[] = [...operationList, ...consoleOperationList];

export function isOfConsole({ area }: Operation): boolean {
  return area === 'Console';
}

/** What stands before its path. */
export function baseOf(operation: Operation): '/api/v1' | '/console/api' {
  return isOfConsole(operation) ? '/console/api' : '/api/v1';
}
