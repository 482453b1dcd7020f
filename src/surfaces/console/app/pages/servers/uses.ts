import { api, queryOptions } from '../../api/index.ts';
import { type Documents, type Use, usesIn } from './uses-in.ts';

interface Uses {
  uses: Use[];
  /** Whether some resources were not checked. */
  more: boolean;
}

/** Maximum number of suites, and of clients, checked: each has to be fetched to know its servers. */
const maxRead = 40;

/** Uses of a server; fetched before it is deleted. */
export function usesOf(projectId: string, server: { id: string; name: string }) {
  return queryOptions<Uses>({
    queryKey: ['usesOf', projectId, server.id],
    queryFn: async ({ signal }) => {
      const options = { signal };
      const [suites, clients, groups, environments] = await Promise.all([
        api.listEvalSuites({ projectId }, options),
        api.listClients({ projectId }, options),
        api.listServerGroups({ projectId }, options),
        api.listEnvironments({ projectId }, options),
      ]);
      const withServers = clients.items.filter(({ serverCount }) => serverCount > 0);
      const documents: Documents = {
        suites: await Promise.all(
          suites.items
            .slice(0, maxRead)
            .map(({ id: suiteId }) => api.getEvalSuite({ projectId, suiteId }, options)),
        ),
        clients: await Promise.all(
          withServers
            .slice(0, maxRead)
            .map(({ id: client }) => api.getClient({ projectId, client }, options)),
        ),
        groups: groups.items,
        environments: environments.items,
      };
      return {
        uses: usesIn(server, documents),
        more: suites.items.length > maxRead || withServers.length > maxRead,
      };
    },
    staleTime: 0,
  });
}
