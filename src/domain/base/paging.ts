import { Refusal } from '../../contract/errors.ts';
import type { Engines } from './engines.ts';

export interface PageRequest {
  cursor?: string | undefined;
  limit: number;
}

interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

/** Position of a row in a list: the values of its order columns; the last one is unique. */
type Position = readonly (string | number)[];

interface List<Row, Item, Place extends Position> {
  /** Identifies the list and its filters. A cursor from another list, filter or project is refused. */
  scope: readonly unknown[];
  placeOf: (row: Row) => Place;
  /** Rows after a position, or from the beginning. */
  fetch: (after: Place | undefined, most: number) => Promise<Row[]>;
  present: (row: Row) => Item;
}

/** One page of a list, in index order. */
export async function pageBy<Row, Item, Place extends Position>(
  context: Pick<Engines, 'cursors'>,
  { cursor, limit }: PageRequest,
  { scope, placeOf, fetch, present }: List<Row, Item, Place>,
): Promise<Page<Item>> {
  const after = cursor === undefined ? undefined : (JSON.parse(openCursor(context, scope, cursor)) as Place);
  const rows = await fetch(after, limit + 1);
  if (rows.length <= limit) return { items: rows.map(present) };
  rows.pop();
  const nextCursor = context.cursors.seal(scope, JSON.stringify(placeOf(rows.at(-1) as Row)));
  return { items: rows.map(present), nextCursor };
}

/** A page of a list whose position is the row's ID. Generated IDs sort by creation time. */
export function pageById<Row extends { id: string }, Item>(
  context: Pick<Engines, 'cursors'>,
  scope: readonly unknown[],
  request: PageRequest,
  fetch: (after: string, most: number) => Promise<Row[]>,
  present: (row: Row) => Item,
): Promise<Page<Item>> {
  return pageBy(context, request, {
    scope,
    placeOf: ({ id }: Row) => [id] as const,
    fetch: (after, most) => fetch(after?.[0] ?? '', most),
    present,
  });
}

/** A page in reverse order of generated IDs: newest first. */
export function pageByLatest<Row extends { id: string }, Item>(
  context: Pick<Engines, 'cursors'>,
  scope: readonly unknown[],
  request: PageRequest,
  fetch: (before: string | null, most: number) => Promise<Row[]>,
  present: (row: Row) => Item,
): Promise<Page<Item>> {
  return pageBy(context, request, {
    scope,
    placeOf: ({ id }: Row) => [id] as const,
    fetch: (after, most) => fetch(after?.[0] ?? null, most),
    present,
  });
}

export function openCursor(
  context: Pick<Engines, 'cursors'>,
  scope: readonly unknown[],
  cursor: string,
): string {
  const position = context.cursors.open(scope, cursor);
  if (position === undefined)
    throw new Refusal(
      'VALIDATION_ERROR',
      'cursor: Not a cursor of this list. Use nextCursor of the page before, with the same filters, or start again without one',
    );
  return position;
}
