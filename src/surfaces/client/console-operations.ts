import { operations as consoleOperationList } from '../../contract/console/index.ts';
import { type Callable, callableOf } from './callable.ts';

/** Replaced by a table in a build. */
export const consoleCallables: readonly Callable[] = consoleOperationList.map(callableOf);
