import * as agent from '../agent.ts';
import { operationsOf } from '../operation.ts';

export const declared = { ...agent };
export const operations = operationsOf('agent', declared);
