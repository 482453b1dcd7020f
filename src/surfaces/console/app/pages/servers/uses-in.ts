import type { Output } from '../../api/index.ts';

/** A resource that includes a server. */
export interface Use {
  kind: 'suite' | 'client' | 'group' | 'environment';
  id: string;
  name: string;
}

export interface Documents {
  suites: Pick<Output<'getEvalSuite'>, 'id' | 'name' | 'environment'>[];
  clients: Pick<Output<'getClient'>, 'id' | 'name' | 'config'>[];
  groups: Pick<Output<'listServerGroups'>['items'][number], 'id' | 'name' | 'serverIds'>[];
  environments: Pick<
    Output<'listEnvironments'>['items'][number],
    'id' | 'name' | 'hostId' | 'serverAttachmentId'
  >[];
}

/** An environment includes a server through its group, otherwise through its client. */
export function usesIn(server: { id: string; name: string }, documents: Documents): Use[] {
  const names = (list: unknown): boolean =>
    Array.isArray(list) && (list.includes(server.id) || list.includes(server.name));
  const suites = documents.suites.filter(({ environment }) => names(environment.servers));
  const clients = documents.clients.filter(
    ({ config }) => names(config['serverIds']) || names(config['optionalServerIds']),
  );
  const groups = documents.groups.filter(({ serverIds }) => serverIds.includes(server.id));
  const has = (list: { id: string }[], id: string): boolean => list.some((one) => one.id === id);
  const environments = documents.environments.filter(({ hostId, serverAttachmentId }) =>
    serverAttachmentId === undefined ? has(clients, hostId) : has(groups, serverAttachmentId),
  );
  const as = (kind: Use['kind'], list: { id: string; name: string | null }[]): Use[] =>
    list.map(({ id, name }) => ({ kind, id, name: name ?? id }));
  return [
    ...as('suite', suites),
    ...as('client', clients),
    ...as('group', groups),
    ...as('environment', environments),
  ];
}
