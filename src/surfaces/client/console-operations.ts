import { consoleOperationList } from '../../contract/console/index.ts';
import { type Callable, callableOf } from './callable.ts';

/** A build keeps this as a table too. */
export const consoleCallables: readonly Callable[] = consoleOperationList.map(callableOf);
