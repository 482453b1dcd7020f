import * as account from '../account.ts';
import * as catalog from '../catalog.ts';
import { operationsOf } from '../operation.ts';
import * as projects from '../projects.ts';
import * as spendBudget from '../spend-budget.ts';

export const declared = { ...account, ...projects, ...catalog, ...spendBudget };
export const operations = operationsOf('projects', declared);
