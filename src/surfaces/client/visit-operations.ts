import { visitOperationList } from '../../contract/visit/index.ts';
import { type Callable, callableOf } from './callable.ts';

/** A build keeps this as a table too. */
export const visitCallables: readonly Callable[] = visitOperationList.map(callableOf);
