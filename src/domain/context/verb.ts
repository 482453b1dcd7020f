import type { ConsoleOperations } from '../../contract/console/index.ts';
import type { Operations } from '../../contract/index.ts';
import type { InputOf, OutputOf } from '../../contract/operation.ts';
import type { VisitOperations } from '../../contract/visit/index.ts';
import type { ContextFor } from './context.ts';

/** Operation IDs are unique across API, console and study pages. */
type AllOperations = Operations & ConsoleOperations & VisitOperations;

/** Implementation of an operation, typed by its contract. */
export type Verb<Id extends keyof AllOperations> = (
  context: ContextFor<AllOperations[Id]>,
  input: InputOf<AllOperations[Id]>,
) => OutputOf<AllOperations[Id]> | Promise<OutputOf<AllOperations[Id]>>;
