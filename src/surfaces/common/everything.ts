import { eachItem } from '../client/pages.ts';

type List = Parameters<typeof eachItem>[0];

/** Maximum number of items searched by name; longer lists need an ID. */
export const maxListed = 10_000;

/** Reads a list across its pages, up to `maxListed` items, to find one by name. */
export async function everything<L extends List>(
  list: L,
  input: NonNullable<Parameters<L>[0]>,
): Promise<Awaited<ReturnType<L>>['items'][number][]> {
  const items: Awaited<ReturnType<L>>['items'][number][] = [];
  for await (const item of eachItem(list, input)) if (items.push(item) === maxListed) break;
  return items;
}
