import { api, type Client, type Output, queryOptions } from '../../api/index.ts';
import type { ServerRef } from './address.ts';

interface Listed {
  listTools: Output<'listTools'>['items'][number];
  listPrompts: Output<'listPrompts'>['items'][number];
  listResources: Output<'listResources'>['items'][number];
}

/** A server may paginate forever. */
const maxPages = 50;

/** Everything a server lists, and whether the list was cut off. */
export function everythingListed<Id extends keyof Listed>(id: Id, which: ServerRef) {
  type Item = Listed[Id];
  return queryOptions<{ items: Item[]; more: boolean }>({
    queryKey: [id, which],
    queryFn: async ({ signal }) => {
      const items: Item[] = [];
      const list = api[id] as Client['listTools'];
      let cursor: string | undefined;
      for (let page = 0; page < maxPages; page++) {
        const answer = await list(
          { ...which, body: { ...(cursor !== undefined && { cursor }) } },
          { signal },
        );
        items.push(...(answer.items as Item[]));
        cursor = answer.nextCursor;
        if (cursor === undefined) return { items, more: false };
      }
      return { items, more: true };
    },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
}
