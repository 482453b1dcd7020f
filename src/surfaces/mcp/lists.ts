import { eachItem } from '../client/pages.ts';
import type { Calling } from './agent.ts';
import { patientClient } from './patience.ts';

/** Of each kind; more is looked through by nobody. */
export const mostListed = 10_000;

/** What a name can mean: everything of a kind, not the first page of it. */
export const everyProject = (calling: Calling) => taken(eachItem(patientClient(calling).listProjects, {}));

export const everyServer = (calling: Calling, projectId: string) =>
  taken(eachItem(patientClient(calling).listProjectServers, { projectId }));

export const everySuite = (calling: Calling, projectId: string) =>
  taken(eachItem(patientClient(calling).listEvalSuites, { projectId }));

export const everyEnvironment = (calling: Calling, projectId: string) =>
  taken(eachItem(patientClient(calling).listEnvironments, { projectId }));

async function taken<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) {
    all.push(item);
    if (all.length === mostListed) break;
  }
  return all;
}
