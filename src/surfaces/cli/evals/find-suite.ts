import type { Client } from '../../client/index.ts';
import { everything } from '../../everything.ts';
import { theOne } from '../find.ts';

export async function suiteNamed(api: Client, projectId: string, idOrName: string): Promise<{ id: string }> {
  return theOne('suite', idOrName, await everything(api.listEvalSuites, { projectId }));
}
