import { operationsOf } from '../operation.ts';
import * as webhooks from '../webhooks.ts';

export const declared = { ...webhooks };
export const operations = operationsOf('webhooks', declared);
