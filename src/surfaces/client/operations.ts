import { operationList } from '../../contract/index.ts';
import { type Callable, callableOf } from './callable.ts';

/** A build keeps this as a table, so that the client loads no schema. */
export const callables: readonly Callable[] = operationList.map(callableOf);
