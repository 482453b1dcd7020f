import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/server';
import type { Calling } from './agent.ts';
import { projectOf } from './names.ts';

const maxShown = 50;

interface Known {
  id: string;
  name?: string | null;
}

/** Completes prompt arguments with names, and parts of resource URIs with IDs. */
export async function completed(
  params: CompleteRequest['params'],
  calling: Calling,
): Promise<CompleteResult> {
  const { argument, ref, context } = params;
  const given = context?.arguments ?? {};
  const byName = ref.type === 'ref/prompt';
  const known = await knownFor(argument.name, byName ? given['project'] : given['projectId'], calling).catch(
    () => [],
  );
  const typed = argument.value.toLowerCase();
  const values = known
    .map(({ id, name }) => (byName ? (name ?? id) : id))
    .filter((value) => value.toLowerCase().startsWith(typed));
  return {
    completion: {
      values: values.slice(0, maxShown),
      total: values.length,
      hasMore: values.length > maxShown,
    },
  };
}

async function knownFor(argument: string, project: string | undefined, calling: Calling): Promise<Known[]> {
  const { agent, signal } = calling;
  const inProject = async () => ({ projectId: (await projectOf(calling, project)).id });
  switch (argument) {
    case 'project':
    case 'projectId':
      return (await agent.client.listProjects({}, { signal })).items;
    case 'server':
    case 'serverId':
      return (await agent.client.listProjectServers(await inProject(), { signal })).items;
    case 'suite':
    case 'suiteId':
      return (await agent.client.listEvalSuites(await inProject(), { signal })).items;
    default:
      return [];
  }
}
