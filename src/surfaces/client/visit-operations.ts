import { operations as visitOperationList } from '../../contract/visit/index.ts';
import { type Callable, callableOf } from './callable.ts';

/** Replaced by a table in a build. */
export const visitCallables: readonly Callable[] = visitOperationList.map(callableOf);
