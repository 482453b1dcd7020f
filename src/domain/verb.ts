import type { OperationId, Operations } from '../contract/index.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import type { ContextFor } from './context.ts';

/** What an operation does, typed by its declaration. */
export type Verb<Id extends OperationId> = (
  context: ContextFor<Operations[Id]>,
  input: InputOf<Operations[Id]>,
) => OutputOf<Operations[Id]> | Promise<OutputOf<Operations[Id]>>;
