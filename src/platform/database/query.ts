import type { Columns, Kind } from './columns.ts';

/** One SQL text with named values. It is parsed by the server once per connection. */
export interface Query<In extends Columns = Columns, Out extends Columns = Columns> {
  readonly name: string;
  /** With `$1` where the first name stood. */
  readonly text: string;
  /** The names in the order of their numbers. */
  readonly order: readonly (readonly [name: string, encode: Kind['encode']])[];
  /** Changes nothing, so that it may be asked again. */
  readonly reads: boolean;
  readonly takes: In;
  readonly gives: Out;
  /** The index that serves it; the plan is checked in a test. */
  readonly index: string | undefined;
  /** What the index finds is put in order afterwards: no index keeps it so. */
  readonly sorts: boolean;
}

/** Every query by its name, for the test that holds them against the schema. */
export const queries = new Map<string, Query>();

const writing =
  /\b(insert|update|delete|truncate|pg_notify|nextval|for\s+(no\s+key\s+)?(update|share|key\s+share))\b/i;
const placeholder = /(?<![:\w]):([a-zA-Z]\w*)/g;

/**
 * Declares a query: what it takes by name, and the columns of the rows it gives. Both are what the types of a call come
 * from, and a test prepares the text and compares them with what the server says.
 */
export function query<const In extends Columns, const Out extends Columns = Columns>(
  name: string,
  text: string,
  takes: In,
  gives: Out = {} as Out,
  { index, sorts = false }: { index?: string; sorts?: boolean } = {},
): Query<In, Out> {
  // The server would run whichever text came first under the name.
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
  const declared = { name, text: numbered, order, reads: readsOnly(text), takes, gives, index, sorts };
  queries.set(name, declared);
  return declared;
}

const none = {} as const;

/** For what names tables that are only known when it runs: sent as it is, under no name, with no values. */
export function command<const Out extends Columns = Columns>(
  text: string,
  gives: Out = {} as Out,
): Query<typeof none, Out> {
  return {
    name: '',
    text,
    order: [],
    reads: readsOnly(text),
    takes: none,
    gives,
    index: undefined,
    sorts: false,
  };
}

export function readsOnly(text: string): boolean {
  return /^\s*(select|with)\b/i.test(text) && !writing.test(text);
}

/** What is sent to the server. */
export function valuesOf(query: Pick<Query, 'order'>, values: Record<string, unknown>): unknown[] {
  const sent: unknown[] = [];
  for (const [field, encode] of query.order) {
    const value = values[field];
    sent.push(encode && value !== undefined ? encode(value) : value);
  }
  return sent;
}
