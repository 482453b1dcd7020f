import type { CallOptions } from './options.ts';

interface Page {
  items: unknown[];
  nextCursor?: string | undefined;
}

/** An operation that returns pages. */
type List = (input: never, options?: CallOptions) => Promise<Page>;
type Item<L extends List> = Awaited<ReturnType<L>>['items'][number];

/** Set for lists whose cursor parameter is not `cursor`. */
interface Marked {
  cursorIn?: 'cursor' | 'before' | 'body' | undefined;
}

/**
 * All items of a list. The next page is requested when the previous one is used up: `for await (const server of
 * eachItem(client.listProjectServers, { projectId }))`.
 */
export async function* eachItem<L extends List>(
  list: L,
  input: NonNullable<Parameters<L>[0]>,
  options?: CallOptions,
): AsyncGenerator<Item<L>> {
  const { cursorIn = 'cursor' } = list as Marked;
  let page = await list(input, options);
  let seen: string | undefined;
  let [empty, rememberAt] = [0, 1];
  for (let pages = 1; ; pages++) {
    if (!Array.isArray(page.items)) throw new RangeError('The list has no items');
    yield* page.items as Item<L>[];
    const { nextCursor } = page;
    if (typeof nextCursor !== 'string') return;
    if (nextCursor === seen)
      throw new RangeError('Pagination stopped: the service returned the same cursor twice');
    empty = page.items.length === 0 ? empty + 1 : 0;
    if (empty > maxEmpty) throw new RangeError('Pagination stopped: too many empty pages');
    // Remembers one cursor for exponentially growing periods, which detects cycles of any length.
    if (pages === rememberAt) [seen, rememberAt] = [nextCursor, pages * 2];
    page = await list(continued(input, nextCursor, cursorIn) as never, options);
  }
}

/** Maximum consecutive empty pages; filters can leave some pages empty. */
const maxEmpty = 100;

function continued(input: object, cursor: string, place: NonNullable<Marked['cursorIn']>): object {
  if (place !== 'body') return { ...input, [place]: cursor };
  return { ...input, body: { ...(input as { body?: object }).body, cursor } };
}
