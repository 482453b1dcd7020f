import { type Operation, type OperationsOf, operationsOf } from '../operation.ts';
import * as declared from './visits.ts';

export { declared };

/** Operations for visitors with a link. Served only below `/visit/api`. */
export type VisitOperations = OperationsOf<typeof declared>;
export type VisitOperationId = keyof VisitOperations;

/** Cross-site requests and API keys are refused. */
export const operations: readonly Operation[] = operationsOf('visit', declared, [
  'FORBIDDEN',
  'UNAUTHORIZED',
]);
