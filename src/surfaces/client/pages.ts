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
  for (let before: string | undefined; ; ) {
    yield* page.items as Item<L>[];
    const { nextCursor } = page;
    if (nextCursor === undefined) return;
    if (nextCursor === before) throw new Error('The list does not go on: it gave the same cursor twice');
    before = nextCursor;
    page = await list(continued(input, nextCursor, cursorIn) as never, options);
  }
}

function continued(input: object, cursor: string, place: NonNullable<Marked['cursorIn']>): object {
  if (place !== 'body') return { ...input, [place]: cursor };
  return { ...input, body: { ...(input as { body?: object }).body, cursor } };
}
