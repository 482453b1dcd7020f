import { operations as consoleOperationList } from './console/index.ts';
import { operationList } from './index.ts';
import { type Route, routeOf } from './operation.ts';
import { operations as visitOperationList } from './visit/index.ts';

/** All operations without their schemas. Replaced by a table in a build, so that a start loads no schemas. */
export const routes: readonly Route[] = operationList.map(routeOf);
export const consoleRoutes: readonly Route[] = consoleOperationList.map(routeOf);
export const visitRoutes: readonly Route[] = visitOperationList.map(routeOf);
