import { Refusal } from '../contract/errors.ts';
import type { Services } from './context.ts';

export interface PageRequest {
  cursor?: string | undefined;
  limit: number;
}

/**
 * A page in id order. `scope` names the list and its filters; a cursor of another list, another
 * filter or another caller's project does not open.
 */
export async function pageById<Row extends { id: string }, Item>(
  context: Pick<Services, 'cursors'>,
  scope: readonly unknown[],
  request: PageRequest,
  fetch: (after: string, most: number) => Promise<Row[]>,
  present: (row: Row) => Item,
): Promise<{ items: Item[]; nextCursor?: string }> {
  const after = request.cursor === undefined ? '' : openCursor(context, scope, request.cursor);
  const rows = await fetch(after, request.limit + 1);
  if (rows.length <= request.limit) return { items: rows.map(present) };
  rows.pop();
  const last = rows.at(-1) as Row;
  return { items: rows.map(present), nextCursor: context.cursors.seal(scope, last.id) };
}

export function openCursor(
  context: Pick<Services, 'cursors'>,
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
