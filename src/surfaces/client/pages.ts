import type { CallOptions } from './options.ts';

interface Page {
  items: unknown[];
  nextCursor?: string | undefined;
}

/** An operation that answers page by page. */
type List = (input: never, options?: CallOptions) => Promise<Page>;
type Item<L extends List> = Awaited<ReturnType<L>>['items'][number];

/** The client marks lists that take the cursor elsewhere than in `cursor`. */
interface Marked {
  cursorIn?: 'cursor' | 'before' | 'body' | undefined;
}

/**
 * Every item of a list, page after page, each page asked for when the one before is used up:
 * `for await (const server of eachItem(client.listProjectServers, { projectId }))`.
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
    if (nextCursor === seen) throw new RangeError('The list does not go on: it gave the same cursor twice');
    empty = page.items.length === 0 ? empty + 1 : 0;
    if (empty > mostEmpty) throw new RangeError('The list does not go on: its pages are empty');
    // One that is remembered ever longer finds a circle of any length.
    if (pages === rememberAt) [seen, rememberAt] = [nextCursor, pages * 2];
    page = await list(continued(input, nextCursor, cursorIn) as never, options);
  }
}

/** Pages in a row: a filter may leave some empty. */
const mostEmpty = 100;

function continued(input: object, cursor: string, place: NonNullable<Marked['cursorIn']>): object {
  if (place !== 'body') return { ...input, [place]: cursor };
  return { ...input, body: { ...(input as { body?: object }).body, cursor } };
}
