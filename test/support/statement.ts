import type { Columns } from '../../src/platform/database/columns.ts';
import { type Query, readsOnly } from '../../src/platform/database/query.ts';

/** SQL of a test, with named values; not among the queries that are held against the schema. */
export function statement<const Out extends Columns = Columns>(
  name: string,
  text: string,
  gives: Out = {} as Out,
): Query<Columns, Out> {
  const names = [...new Set([...text.matchAll(/(?<![:\w]):([a-z]\w*)/g)].map(([, field = '']) => field))];
  const numbered = names.reduce(
    (sql, field, at) => sql.replaceAll(new RegExp(`(?<![:\\w]):${field}\\b`, 'g'), `$${at + 1}`),
    text,
  );
  const order = names.map((field) => [field, undefined] as const);
  const reads = readsOnly(text);
  return {
    name,
    text: numbered,
    order,
    reads,
    takes: {},
    gives,
    index: undefined,
    sorts: false,
    batch: undefined,
  };
}
