import { type Operation, type OperationsOf, operationsOf } from '../operation.ts';
import * as visits from './visits.ts';

/** Operations for visitors with a link. Served only below `/visit/api`. */
export type VisitOperations = OperationsOf<typeof visits>;
export type VisitOperationId = keyof VisitOperations;

/** Cross-site requests and API keys are refused. */
export const visitOperationList: readonly Operation[] = operationsOf(visits, ['FORBIDDEN', 'UNAUTHORIZED']);
