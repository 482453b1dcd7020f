import type { ConsoleOperations } from '../contract/console/index.ts';
import type { Operations } from '../contract/index.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import type { VisitOperations } from '../contract/visit/index.ts';
import type { ContextFor } from './context.ts';

/** Of the API, the console and the page of a study: no two have the same name. */
type AllOperations = Operations & ConsoleOperations & VisitOperations;

/** What an operation does, typed by its declaration. */
export type Verb<Id extends keyof AllOperations> = (
  context: ContextFor<AllOperations[Id]>,
  input: InputOf<AllOperations[Id]>,
) => OutputOf<AllOperations[Id]> | Promise<OutputOf<AllOperations[Id]>>;
