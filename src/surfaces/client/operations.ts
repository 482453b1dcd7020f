import { operationList } from '../../contract/index.ts';
import { type Callable, callableOf } from './callable.ts';

/** Replaced by a table in a build, so that the client loads no schemas. */
export const callables: readonly Callable[] = operationList.map(callableOf);
