import { type Columns, integer, type Kind, listOf } from './columns.ts';

/** An SQL statement with named parameters, prepared once per connection. */
export interface Query<In extends Columns = Columns, Out extends Columns = Columns> {
  readonly name: string;
  /** The text with `$1` in place of the first name. */
  readonly text: string;
  /** Parameter names in the order of their numbers. */
  readonly order: readonly (readonly [name: string, encode: Kind['encode']])[];
  /** Whether the statement is read-only and may be retried. */
  readonly reads: boolean;
  /** Form of the query for many sets of values at once, if it is sent in batches (`batched-reads.ts`). */
  readonly batch: Pick<Query, 'name' | 'text'> | undefined;
  readonly takes: In;
  readonly gives: Out;
  /** The index that serves the query; a test checks the plan. */
  readonly index: string | undefined;
  /** Whether the rows are sorted after the index lookup, because no index has this order. */
  readonly sorts: boolean;
}

export type Batched = Pick<Query, 'name' | 'text'> & { batch: Pick<Query, 'name' | 'text'> };

/** Column of a batch with the number of the set of values that a row belongs to. */
export const batchNumber = 'batch.number';

/** Every query by name, for the test that checks them against the schema. */
export const queries = new Map<string, Query>();

const writing =
  /\b(insert|update|delete|truncate|pg_notify|nextval|for\s+(no\s+key\s+)?(update|share|key\s+share))\b/i;
const placeholder = /(?<![:\w]):([a-zA-Z]\w*)/g;

/**
 * Declares a query: its parameters by name, and the columns of its rows. The types of calls derive from both, and a
 * test prepares the text and compares them with what the server reports.
 */
export function query<const In extends Columns, const Out extends Columns = Columns>(
  name: string,
  text: string,
  takes: In,
  gives: Out = {} as Out,
  { index, sorts = false, batched = false }: { index?: string; sorts?: boolean; batched?: boolean } = {},
): Query<In, Out> {
  // The server would run the first text prepared under the name.
  if (queries.has(name)) throw new Error(`two queries are named ${name}`);
  const names: string[] = [];
  const numbered = text.replaceAll(placeholder, (_, field: string) => {
    if (!Object.hasOwn(takes, field)) throw new Error(`${name} does not say what :${field} is`);
    if (!names.includes(field)) names.push(field);
    return `$${names.indexOf(field) + 1}`;
  });
  const unused = Object.keys(takes).filter((field) => !names.includes(field));
  if (unused.length > 0) throw new Error(`${name} does not use ${unused.join(', ')}`);
  const order = names.map((field) => [field, takes[field]?.encode] as const);
  const batch = batched ? batchOf(name, text, takes, gives) : undefined;
  const declared = { name, text: numbered, order, reads: readsOnly(text), batch, takes, gives, index, sorts };
  queries.set(name, declared);
  return declared;
}

/** Each parameter becomes a list, and the rows of each set of values follow from a lateral join. */
function batchOf(name: string, text: string, takes: Columns, gives: Columns): Query {
  const fields = Object.entries(takes);
  const lists = fields.map(([field, { type }]) => `:${field}::${type}[]`).join(', ');
  const columns = fields.map((_, at) => `value_${at}`).join(', ');
  const names = Object.keys(takes);
  const found = text.replaceAll(placeholder, (_, field: string) => `asked.value_${names.indexOf(field)}`);
  return query(
    `${name}-batch`,
    `select asked.number::integer as "${batchNumber}", found.*
     from unnest(${lists}) with ordinality as asked (${columns}, number) cross join lateral (${found}) found`,
    Object.fromEntries(fields.map(([field, kind]) => [field, listOf(kind)])),
    { [batchNumber]: integer, ...gives },
  );
}

const none = {} as const;

/** An unprepared statement without parameters, for table names that are only known at run time. */
export function command<const Out extends Columns = Columns>(
  text: string,
  gives: Out = {} as Out,
): Query<typeof none, Out> {
  return {
    name: '',
    text,
    order: [],
    reads: readsOnly(text),
    batch: undefined,
    takes: none,
    gives,
    index: undefined,
    sorts: false,
  };
}

export function readsOnly(text: string): boolean {
  return /^\s*(select|with)\b/i.test(text) && !writing.test(text);
}

/** The parameters in the order in which they are sent. */
export function valuesOf(query: Pick<Query, 'order'>, values: Record<string, unknown>): unknown[] {
  const sent: unknown[] = [];
  for (const [field, encode] of query.order) {
    const value = values[field];
    sent.push(encode && value !== undefined ? encode(value) : value);
  }
  return sent;
}
