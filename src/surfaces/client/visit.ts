import type { VisitOperations } from '../../contract/visit/index.ts';
import type { ClientOf, OutputOf } from './calls.ts';
import { callsOf } from './make.ts';
import type { ClientOptions } from './options.ts';
import { visitCallables } from './visit-operations.ts';

export type VisitClient = ClientOf<VisitOperations>;
export type VisitOutput<Name extends keyof VisitOperations> = OutputOf<VisitOperations[Name]>;

/** A client of the visit operations. The API key is the token of the visit. Not part of the package. */
export function createVisitClient(options: ClientOptions): VisitClient {
  return callsOf(options, '/visit/api', visitCallables) as VisitClient;
}
