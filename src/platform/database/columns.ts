/** How a kind of value is stored: the column type and the TypeScript type. */
export interface Kind<Value = unknown> {
  /** The name of the type in PostgreSQL. */
  readonly type: string;
  readonly nullable: boolean;
  /** Encodes a value for sending. Default: unchanged. */
  encode?(this: void, value: Value): unknown;
  /** Never set; carries the type. */
  readonly value?: Value;
}

const plain = <Value>(type: string): Kind<Value> => ({ type, nullable: false });

export const text = plain<string>('text');
export const integer = plain<number>('integer');
/** Counts and sizes, which are far below 2^53. */
export const bigint = plain<number>('bigint');
/** Also for milliseconds added to a time. */
export const float = plain<number>('double precision');
export const flag = plain<boolean>('boolean');
/** Read and written as epoch milliseconds. */
export const time: Kind<number> = {
  type: 'timestamp with time zone',
  nullable: false,
  encode: (value) => new Date(value).toISOString(),
};
export const texts = plain<string[]>('text[]');
export const bytes = plain<Buffer>('bytea');

/** Text with a fixed set of values. */
export function oneOf<Value extends string>(): Kind<Value> {
  return plain<Value>('text');
}

export function json<Value>(): Kind<Value> {
  return { type: 'jsonb', nullable: false, encode: (value) => JSON.stringify(value) };
}

/** JSON that is already serialized. */
export const jsonText = plain<string>('jsonb');

/** An array of a kind. */
export function listOf<Value>(kind: Kind<Value>): Kind<Value[]> {
  const { type, encode } = kind;
  return {
    type: `${type}[]`,
    nullable: false,
    ...(encode && { encode: (values: Value[]) => values.map((value) => encode(value)) }),
  };
}

export function orNull<Value>(kind: Kind<Value>): Kind<Value | null> {
  const { type, encode } = kind;
  return {
    type,
    nullable: true,
    ...(encode && { encode: (value: Value | null) => (value === null ? null : encode(value)) }),
  };
}

/** Converts the name of a field in `camelCase` to a column in `snake_case`. */
function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type ListsOf<C extends Columns> = { [Field in keyof C]: Kind<ValueOf<C[Field]>[]> };

/** Passes many rows as one array per column, and unnests them in the query. */
export function manyOf<const C extends Columns>(
  columns: C,
): { row: C; takes: ListsOf<C>; from: (alias: string) => string } {
  const fields = Object.entries(columns);
  return {
    row: columns,
    takes: Object.fromEntries(fields.map(([field, kind]) => [field, listOf(kind)])) as ListsOf<C>,
    from: (alias) =>
      `unnest(${fields.map(([field, { type }]) => `:${field}::${type}[]`).join(', ')})
       as ${alias} (${fields.map(([field]) => columnOf(field)).join(', ')})`,
  };
}

/** Converts rows into arrays per column. Requires at least one row. */
export function byColumn<Row extends object>(rows: readonly Row[]): { [Field in keyof Row]: Row[Field][] } {
  const [first] = rows;
  const fields = Object.keys(first ?? {}) as (keyof Row)[];
  return Object.fromEntries(fields.map((field) => [field, rows.map((row) => row[field])])) as {
    [Field in keyof Row]: Row[Field][];
  };
}

export type Columns = Readonly<Record<string, Kind>>;

type ValueOf<K> = K extends Kind<infer Value> ? Value : never;
export type RowOf<C extends Columns> = { [Field in keyof C]: ValueOf<C[Field]> };

type Field<C extends Columns> = keyof C & string;

/** A table declared once. Column lists, inserts and updates derive from it, and a test compares it with the schema. */
export interface Table<C extends Columns, WriteOnly extends Columns> {
  readonly name: string;
  readonly columns: C;
  /** The source of each field, for a table with this alias. */
  from(alias: string): Record<Field<C>, string>;
  /** All columns, named like their fields. */
  all(alias?: string): string;
  /** `insert into … (…) values (…)` with a parameter for each field. Default: all fields. */
  insert(fields?: readonly Field<C & WriteOnly>[]): string;
  /** `insert into … (…) select …` of all fields, from a source with columns of the same names. */
  insertFrom(source: string): string;
  /** `a = :a, b = :b` for an update. */
  set(fields: readonly Field<C & WriteOnly>[]): string;
  pick<Some extends Field<C & WriteOnly>>(fields: readonly Some[]): Pick<C & WriteOnly, Some>;
}

/** `writeOnly` fields can be written but are not part of `all`. */
export function table<const C extends Columns, const WriteOnly extends Columns = C>(
  name: string,
  columns: C,
  writeOnly = {} as WriteOnly,
): Table<C, WriteOnly> {
  const fields = Object.keys(columns);
  const known: C & WriteOnly = { ...columns, ...writeOnly };
  return {
    name,
    columns,
    from: (alias) =>
      Object.fromEntries(fields.map((field) => [field, `${alias}.${columnOf(field)}`])) as Record<
        Field<C>,
        string
      >,
    all: (alias) =>
      fields.map((field) => `${alias ? `${alias}.` : ''}${columnOf(field)} as "${field}"`).join(', '),
    insert: (some = fields) =>
      `insert into ${name} (${some.map(columnOf).join(', ')}) values (${some.map((field) => `:${field}`).join(', ')})`,
    insertFrom: (source) => {
      const names = fields.map(columnOf).join(', ');
      return `insert into ${name} (${names}) select ${names} from ${source}`;
    },
    set: (some) => some.map((field) => `${columnOf(field)} = :${field}`).join(', '),
    pick: (some) =>
      Object.fromEntries(some.map((field) => [field, known[field]])) as Pick<
        C & WriteOnly,
        (typeof some)[number]
      >,
  };
}
