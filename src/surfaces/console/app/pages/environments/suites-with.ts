import { api, queryOptions } from '../../api/index.ts';

/** Maximum number of suites checked: each has to be fetched to know its environments. */
const maxRead = 40;

/** Suites attached to an environment; fetched before it is archived. */
export function suitesWith(projectId: string, environmentId: string) {
  return queryOptions({
    queryKey: ['suitesWith', projectId, environmentId],
    queryFn: async ({ signal }) => {
      const { items } = await api.listEvalSuites({ projectId }, { signal });
      const suites = await Promise.all(
        items
          .slice(0, maxRead)
          .map(({ id: suiteId }) => api.getEvalSuite({ projectId, suiteId }, { signal })),
      );
      const attached = suites.filter(({ environmentIds }) => environmentIds.includes(environmentId));
      return {
        uses: attached.map(({ id, name }) => ({ kind: 'suite' as const, id, name: name ?? id })),
        more: items.length > maxRead,
      };
    },
    staleTime: 0,
  });
}
