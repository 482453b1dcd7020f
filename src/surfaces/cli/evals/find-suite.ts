import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client } from '../../client/index.ts';

export async function suiteNamed(api: Client, projectId: string, idOrName: string): Promise<{ id: string }> {
  const { items } = await api.listEvalSuites({ projectId });
  const byId = items.find(({ id }) => id === idOrName);
  if (byId) return byId;
  const named = items.filter(({ name }) => name?.toLowerCase() === idOrName.toLowerCase());
  const [first] = named;
  if (first && named.length === 1) return first;
  const shown = (first ? named : items).slice(0, 10).map(({ id, name }) => `${name} (${id})`);
  throw new OperatorProblem(
    first
      ? `Several suites are called ${idOrName}; use the id: ${shown.join(', ')}`
      : `No suite ${idOrName} in this project. There ${shown.length === 0 ? 'is none' : `are: ${shown.join(', ')}`}`,
  );
}
