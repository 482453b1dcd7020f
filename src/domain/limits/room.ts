import type { Columns, Kind, RowOf } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import type { Query } from '../../platform/database/query.ts';
import { conflict } from '../base/refusals.ts';

/** Existing clients look items up by name or ID in the first page of a list, so a list must fit into one page. */
const defaultLimit = 1000;

/**
 * Refuses another item in a project that holds as many as allowed. Locks the project until the transaction ends, so
 * that the count stays correct.
 */
export async function checkRoom<In extends Columns>(
  { project }: { project: { id: string } },
  db: Db,
  things: string,
  count: Query<In, { count: Kind<number> }>,
  values: RowOf<In>,
  limit = defaultLimit,
): Promise<void> {
  await db.row(projects.lockForUpdate, { id: project.id });
  if ((await db.one(count, values)).count >= limit)
    throw conflict(`A project can have at most ${limit} ${things}`, 'LIMIT_REACHED', { limit });
}
