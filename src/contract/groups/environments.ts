import * as clients from '../clients.ts';
import * as environments from '../environments.ts';
import { operationsOf } from '../operation.ts';
import * as plugins from '../plugins.ts';
import * as secrets from '../secrets.ts';
import * as serverGroups from '../server-groups.ts';
import * as skills from '../skills.ts';

export const declared = { ...clients, ...environments, ...serverGroups, ...secrets, ...skills, ...plugins };
export const operations = operationsOf('environments', declared);
