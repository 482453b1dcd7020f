import type { ConsoleOperations } from '../contract/console/index.ts';
import type { Operations } from '../contract/index.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import type { ContextFor } from './context.ts';

/** Of the API and of the console: no two have the same name. */
type AllOperations = Operations & ConsoleOperations;

/** What an operation does, typed by its declaration. */
export type Verb<Id extends keyof AllOperations> = (
  context: ContextFor<AllOperations[Id]>,
  input: InputOf<AllOperations[Id]>,
) => OutputOf<AllOperations[Id]> | Promise<OutputOf<AllOperations[Id]>>;
