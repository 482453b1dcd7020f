import type { CallOptions } from './options.ts';

interface Page<Item> {
  items: Item[];
  nextCursor?: string | undefined;
}

/** How a list is told where to go on. */
type Paged =
  | { cursor?: string | undefined }
  | { before?: string | undefined }
  | { body?: { cursor?: string | undefined } };

/** Where the client says of a list that it takes the cursor elsewhere than in `cursor`. */
interface Marked {
  cursorIn?: 'cursor' | 'before' | 'body' | undefined;
}

/**
 * Every item of a list, page after page, each page asked for when the one before is used up:
 * `for await (const server of eachItem(client.listProjectServers, { projectId }))`.
 */
export async function* eachItem<Input extends Paged, Item>(
  list: ((input: Input, options?: CallOptions) => Promise<Page<Item>>) & Marked,
  input: Input,
  options?: CallOptions,
): AsyncGenerator<Item> {
  let page = await list(input, options);
  for (let before: string | undefined; ; ) {
    yield* page.items;
    const { nextCursor } = page;
    if (nextCursor === undefined) return;
    if (nextCursor === before) throw new Error('The list does not go on: it gave the same cursor twice');
    before = nextCursor;
    page = await list(continued(input, nextCursor, list.cursorIn), options);
  }
}

function continued<Input extends Paged>(
  input: Input,
  cursor: string,
  place: Marked['cursorIn'] = 'cursor',
): Input {
  if (place !== 'body') return { ...input, [place]: cursor };
  return { ...input, body: { ...(input as { body?: object }).body, cursor } };
}
