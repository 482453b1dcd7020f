import type pg from 'pg';
import { inSpan, isTracing } from '../telemetry/tracing.ts';
import { type Columns, integer, type RowOf } from './columns.ts';
import { type Query, query, valuesOf } from './query.ts';

/** What to select, given what each field is read from. */
export function selectList(columns: Record<string, string>): string {
  return Object.entries(columns)
    .map(([field, from]) => `${from} as "${field}"`)
    .join(', ');
}

/** Left out for a query that takes none. */
type ValuesOf<In extends Columns> =
  Partial<RowOf<In>> extends RowOf<In> ? [values?: RowOf<In>] : [values: RowOf<In>];

/** Where queries run: the pool, or the transaction in progress. */
export interface Db {
  rows<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...values: ValuesOf<In>
  ): Promise<RowOf<Out>[]>;
  row<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...values: ValuesOf<In>
  ): Promise<RowOf<Out> | undefined>;
  /** For a query that always gives a row. */
  one<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...values: ValuesOf<In>
  ): Promise<RowOf<Out>>;
  /** How many rows were written. */
  run<In extends Columns>(query: Query<In>, ...values: ValuesOf<In>): Promise<number>;
  /** Inside a transaction this joins it. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Everything read inside is the state of one moment, and nothing can be written. Inside a snapshot this joins it. It
   * also joins a transaction, where each statement sees what was committed before it: ask before the transaction begins.
   */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

/** What is sent of a query. */
type Sent = Pick<Query, 'name' | 'text' | 'order'>;

abstract class Queries {
  protected abstract send(config: pg.QueryConfig): Promise<pg.QueryResult>;

  /** One promise for each statement: every request waits for at least one. */
  private ask<T>(
    query: Sent,
    values: Record<string, unknown> = {},
    read: (result: pg.QueryResult) => T,
  ): Promise<T> {
    const { name, text } = query;
    const sent = isTracing()
      ? traced(name, () => this.send({ name, text, values: valuesOf(query, values) }))
      : this.send({ name, text, values: valuesOf(query, values) });
    return sent.then(read, (error: unknown) => {
      throw cancelled(error, name) ?? error;
    });
  }

  rows<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...[values]: ValuesOf<In>
  ): Promise<RowOf<Out>[]> {
    return this.ask(query, values, ({ rows }) => rows as RowOf<Out>[]);
  }

  row<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...[values]: ValuesOf<In>
  ): Promise<RowOf<Out> | undefined> {
    return this.ask(query, values, ({ rows }) => rows[0] as RowOf<Out> | undefined);
  }

  async one<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...values: ValuesOf<In>
  ): Promise<RowOf<Out>> {
    const row = await this.row(query, ...values);
    if (row === undefined) throw new Error(`${query.name} gave no row`);
    return row;
  }

  run<In extends Columns>(query: Query<In>, ...[values]: ValuesOf<In>): Promise<number> {
    return this.ask(query, values, ({ rowCount }) => rowCount ?? 0);
  }
}

/** Queries over one connection, which somebody else begins and ends a transaction on. */
export class InTransaction extends Queries implements Db {
  private readonly client: pg.ClientBase;

  constructor(client: pg.ClientBase) {
    super();
    this.client = client;
  }

  protected send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.client.query(config);
  }

  transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return work(this);
  }

  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return work(this);
  }
}

const probe = query('probe', 'select 1 as one', {}, { one: integer });

export class Database extends Queries implements Db {
  readonly pool: pg.Pool;
  private readonly afterBegin: string;

  constructor(pool: pg.Pool, afterBegin = '') {
    super();
    this.pool = pool;
    this.afterBegin = afterBegin;
  }

  protected send(config: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.pool.query(config);
  }

  /** Rejects when the database does not answer. */
  async ping(): Promise<void> {
    await this.row(probe);
  }

  async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt('begin', work);
      } catch (error) {
        if (attempt === 5 || !lostARace(error)) throw error;
      }
    }
  }

  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.attempt('begin isolation level repeatable read read only', work);
  }

  private async attempt<T>(begin: string, work: (db: Db) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query(`${begin}${this.afterBegin}`);
      const result = await work(new InTransaction(client));
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      // A connection that cannot roll back is not given to the next caller.
      client.release(broken);
    }
  }
}

/** A span for the statement, waiting for a connection included; what it was given is not told. */
function traced<T>(name: string, send: () => Promise<T>): Promise<T> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
  return inSpan(name, { kind: 'client', part: true, attributes }, send);
}

/** A statement that took too long, or that somebody stopped: the database does not say which one it was. */
function cancelled(error: unknown, name: string): Error | undefined {
  const { code, message } = error as { code?: string; message: string };
  if (code !== '57014' && message !== 'Query read timeout') return undefined;
  return Object.assign(new Error(`The statement ${name} was cancelled: ${message}`, { cause: error }), {
    code,
  });
}

/** Serialization failure or deadlock: nothing was written, and the same work may succeed now. */
function lostARace(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  return code === '40001' || code === '40P01';
}

/** The table whose row was deleted by somebody else while we referred to it; our constraints name the column. */
export function vanishedReference(
  error: unknown,
): 'project' | 'server' | 'organization' | 'user' | 'owner' | undefined {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code !== '23503') return undefined;
  return /_(project|server|organization|user|owner)_id_fkey$/.exec(constraint ?? '')?.[1] as
    | 'project'
    | undefined;
}

export function violates(error: unknown, constraint: string): boolean {
  return (error as { constraint?: string }).constraint === constraint;
}
