import { bigint, type Columns, integer, type Kind, orNull, type Table, text } from './columns.ts';
import { type Query, query } from './query.ts';

/**
 * A query that takes a lock until the transaction ends, and waits for it. `key` is the SQL expression of a text that
 * starts with the purpose of the lock.
 */
export function lockOn<const In extends Columns>(name: string, key: string, takes: In): Query<In> {
  return query(name, `select from pg_advisory_xact_lock(hashtextextended(${key}, 4700))`, takes);
}

/** The end of a page in descending order of ID, and its parameters: the last ID of the page before, and the size. */
export const latestFirst = '(:before::text is null or id < :before) order by id desc limit :most';
export const pageBefore = { before: orNull(text), most: bigint };

/** The queries of a table whose rows belong to a project; `live` is the condition for the rows that count. */
export function projectRows<const C extends Columns & { id: Kind<string> }, W extends Columns>(
  table: Table<C, W>,
  index: string,
  live = 'true',
) {
  const { name, columns } = table;
  return {
    list: query(
      `${name}.list`,
      `select ${table.all()} from ${name} where project_id = :projectId and ${live} and ${latestFirst}`,
      { projectId: text, ...pageBefore },
      columns,
      { index },
    ),
    find: query(
      `${name}.find`,
      `select ${table.all()} from ${name} where project_id = :projectId and id = :id and ${live}`,
      { projectId: text, id: text },
      columns,
    ),
    count: query(
      `${name}.count`,
      `select count(*)::int as count from ${name} where project_id = :projectId and ${live}`,
      { projectId: text },
      { count: integer },
    ),
  };
}
