import { type Declaration, isDeclaration, type Operation, paramNames } from '../operation.ts';
import * as visits from './visits.ts';

/** What people do who came by a link: served below `/visit/api`, and on no other surface. */
export type VisitOperations = {
  [Name in keyof typeof visits as (typeof visits)[Name] extends Declaration
    ? Name
    : never]: (typeof visits)[Name];
};
export type VisitOperationId = keyof VisitOperations;

export const visitOperationList: readonly Operation[] = Object.entries<unknown>(visits).flatMap(
  ([id, value]) =>
    isDeclaration(value)
      ? [
          {
            ...value,
            id,
            params: paramNames(value.path),
            // Requests that may come from another page are refused, and so are API keys.
            errors: [...(value.errors ?? []), 'FORBIDDEN' as const, 'UNAUTHORIZED' as const],
          },
        ]
      : [],
);
