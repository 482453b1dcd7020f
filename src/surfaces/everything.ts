import { eachItem } from './client/pages.ts';

type List = Parameters<typeof eachItem>[0];

/** Beyond this one gives the id. */
export const mostListed = 10_000;

/** What a list holds on all its pages, to find something by its name. */
export async function everything<L extends List>(
  list: L,
  input: NonNullable<Parameters<L>[0]>,
): Promise<Awaited<ReturnType<L>>['items'][number][]> {
  const items: Awaited<ReturnType<L>>['items'][number][] = [];
  for await (const item of eachItem(list, input)) if (items.push(item) === mostListed) break;
  return items;
}
