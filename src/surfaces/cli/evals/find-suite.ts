import type { Client } from '../../client/index.ts';
import { theOne } from '../find.ts';

export async function suiteNamed(api: Client, projectId: string, idOrName: string): Promise<{ id: string }> {
  const { items } = await api.listEvalSuites({ projectId });
  return theOne('suite', idOrName, items);
}
