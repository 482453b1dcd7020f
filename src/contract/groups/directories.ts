import { operationsOf } from '../operation.ts';
import * as readiness from '../readiness.ts';
import * as registry from '../registry.ts';
import * as registryCards from '../registry-cards.ts';

export const declared = { ...registry, ...registryCards, ...readiness };
export const operations = operationsOf('directories', declared);
