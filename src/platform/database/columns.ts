/** How one kind of value is kept: the type of the column, and the type it has here. */
export interface Kind<Value = unknown> {
  /** As PostgreSQL writes it. */
  readonly type: string;
  readonly nullable: boolean;
  /** What is sent for a value; left out, the value itself. */
  encode?(this: void, value: Value): unknown;
  /** Never set; carries the type. */
  readonly value?: Value;
}

const plain = <Value>(type: string): Kind<Value> => ({ type, nullable: false });

export const text = plain<string>('text');
export const integer = plain<number>('integer');
/** Counts and sizes, all far below 2^53. */
export const bigint = plain<number>('bigint');
/** Also of milliseconds that are added to a time. */
export const float = plain<number>('double precision');
export const flag = plain<boolean>('boolean');
/** Read as epoch milliseconds, and written as such. */
export const time: Kind<number> = {
  type: 'timestamp with time zone',
  nullable: false,
  encode: (value) => new Date(value).toISOString(),
};
export const texts = plain<string[]>('text[]');
export const bytes = plain<Buffer>('bytea');

/** A text that is one of a few. */
export function oneOf<Value extends string>(): Kind<Value> {
  return plain<Value>('text');
}

export function json<Value>(): Kind<Value> {
  return { type: 'jsonb', nullable: false, encode: (value) => JSON.stringify(value) };
}

/** JSON that is written already. */
export const jsonText = plain<string>('jsonb');

/** Several of a kind. */
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

/** How a field is called in the database: fields are written `likeThis`, columns `like_this`. */
function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type ListsOf<C extends Columns> = { [Field in keyof C]: Kind<ValueOf<C[Field]>[]> };

/** Many rows as one list for each column: what a query takes, and what it reads them from. */
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

/** The values of such a query; there is at least one row. */
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

/** A table, said once: lists of columns, inserts and updates are made from it, and a test holds it against the schema. */
export interface Table<C extends Columns, Unread extends Columns> {
  readonly name: string;
  readonly columns: C;
  /** What each field is read from; `alias` is what the query calls the table. */
  from(alias: string): Record<Field<C>, string>;
  /** Every column under the name of its field. */
  all(alias?: string): string;
  /** `insert into … (…) values (…)` with each value under the name of its field; left out, of all fields. */
  insert(fields?: readonly Field<C & Unread>[]): string;
  /** `insert into … (…) select …` of all fields, from something that has columns of the same names. */
  insertFrom(source: string): string;
  /** `a = :a, b = :b` for an update. */
  set(fields: readonly Field<C & Unread>[]): string;
  pick<Some extends Field<C & Unread>>(fields: readonly Some[]): Pick<C & Unread, Some>;
}

/** `unread` are those that are written but not among `all`. */
export function table<const C extends Columns, const Unread extends Columns = C>(
  name: string,
  columns: C,
  unread = {} as Unread,
): Table<C, Unread> {
  const fields = Object.keys(columns);
  const known: C & Unread = { ...columns, ...unread };
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
        C & Unread,
        (typeof some)[number]
      >,
  };
}
