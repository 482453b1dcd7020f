import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { inSpan, isTracing } from '../telemetry/tracing.ts';
import { type Columns, flag, integer, type Kind, orNull, type RowOf, text } from './columns.ts';
import type { Connections } from './connections.ts';
import { Lane, type Lender } from './lane.ts';
import { DatabaseUnavailable, isReadOnly, lossOf } from './losses.ts';
import type { Manner } from './manner.ts';
import { type Query, query, valuesOf } from './query.ts';
import type { Standby } from './standby.ts';

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
  /**
   * Names a row that this transaction writes and nobody deletes. When the database crashes before it answers the commit,
   * whether that row is there tells whether it was written.
   */
  provenBy(proof: Proof): void;
}

interface Proof {
  query: Query<Columns, { there: Kind<boolean> }>;
  values: Record<string, unknown>;
}

/** What is sent of a query. */
type Sent = Pick<Query, 'name' | 'text' | 'order' | 'reads'>;

abstract class Queries {
  /** Whether a connection keeps statements under their names. */
  protected readonly named: boolean;

  constructor(named: boolean) {
    this.named = named;
  }

  protected abstract send(config: pg.QueryConfig, reads: boolean): Promise<pg.QueryResult>;

  /** One promise for each statement: every request waits for at least one. */
  private ask<T>(
    query: Sent,
    values: Record<string, unknown> = {},
    read: (result: pg.QueryResult) => T,
  ): Promise<T> {
    const { name, text, reads } = query;
    const sent = { ...(this.named && { name }), text, values: valuesOf(query, values) };
    const answered = isTracing() ? traced(name, () => this.send(sent, reads)) : this.send(sent, reads);
    return answered.then(read, (error: unknown) => {
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
  proof: Proof | undefined;

  constructor(client: pg.ClientBase, named = true) {
    super(named);
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

  provenBy(proof: Proof): void {
    this.proof ??= proof;
  }
}

const probe = query('probe', 'select 1 as one', {}, { one: integer });
/** What became of a transaction; nothing is known of one that a server began which does not run any more. */
const fate = query(
  'transaction.fate',
  `select pg_postmaster_start_time()::text = :life as same,
     case when pg_postmaster_start_time()::text = :life then pg_xact_status((:id::text)::xid8) end as status`,
  { id: text, life: text },
  { same: flag, status: orNull(text) },
);

/** Makes a transaction known by a number, under which its fate can be asked for when its connection breaks. */
const numbered = '; select pg_current_xact_id()::text as id, pg_postmaster_start_time()::text as life';
const shortPause = 20;

/**
 * Statements over the connections of this process. A database that is away for a moment, since it restarts or another host
 * takes over, is waited for: what was surely not done is done again, of a commit whose answer was lost the database
 * is asked whether it happened.
 */
export class Database extends Queries implements Db {
  private readonly connections: Connections;
  private readonly manner: Pick<Manner, 'pooled' | 'afterBegin'>;
  private readonly standby: Standby;
  private readonly lender: Lender;

  constructor(
    connections: Connections,
    manner: Pick<Manner, 'pooled' | 'afterBegin'>,
    standby: Standby,
    lender: Lender = connections.pool,
  ) {
    super(!manner.pooled);
    this.connections = connections;
    this.manner = manner;
    this.standby = standby;
    this.lender = lender;
  }

  /** The same over so many of the connections at most. */
  within(most: number): Database {
    const { connections, manner, standby } = this;
    return new Database(connections, manner, standby, new Lane(connections.pool, most));
  }

  get pool(): pg.Pool {
    return this.connections.pool;
  }

  protected send(config: pg.QueryConfig, reads: boolean): Promise<pg.QueryResult> {
    return this.once(config, reads).catch((error: unknown) => this.again(config, reads, error));
  }

  private once(config: pg.QueryConfig, reads: boolean): Promise<pg.QueryResult> {
    return reads ? this.lender.query(config) : this.write(config);
  }

  private async write(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.lender.connect();
    let broken: Error | undefined;
    try {
      return await this.standby.confirmed(() => client.query(config));
    } catch (error) {
      if (error instanceof DatabaseUnavailable || lossOf(error) || isReadOnly(error)) broken = error as Error;
      throw error;
    } finally {
      // One that still waits is of use to nobody for as long, and one that leads to a standby to nobody who writes.
      client.release(broken);
    }
  }

  private async again(config: pg.QueryConfig, reads: boolean, first: unknown): Promise<pg.QueryResult> {
    const since = performance.now();
    for (let error = first; ; await delay(shortPause)) {
      const loss = lossOf(error);
      if (loss === undefined && !isReadOnly(error)) throw error;
      if (loss === 'in doubt' && !reads) throw inDoubt(error);
      await this.connections.back(since);
      try {
        return await this.once(config, reads);
      } catch (failure) {
        error = failure;
      }
    }
  }

  /** Rejects when requests cannot be answered; not yet while they wait for the database. */
  async ping(): Promise<void> {
    if (!this.connections.isAwaited) await this.row(probe);
  }

  async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    let races = 1;
    const isLost = (error: unknown): boolean => lossOf(error) !== undefined || isReadOnly(error);
    return this.persist(isLost, async () => {
      for (;;) {
        try {
          const { result, unanswered } = await this.attempt(
            `begin${this.manner.afterBegin}${numbered}`,
            work,
          );
          if (!unanswered || (await this.committed(unanswered))) return result;
        } catch (error) {
          if (!lostARace(error) || races++ === 5) throw error;
        }
      }
    });
  }

  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const begin = `begin isolation level repeatable read read only${this.manner.afterBegin}`;
    const isLost = (error: unknown): boolean => lossOf(error) !== undefined;
    return this.persist(isLost, async () => (await this.attempt(begin, work)).result);
  }

  /** Does it again for as long as the database is lost and nothing was written. */
  private async persist<T>(isLost: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
    for (let since: number | undefined; ; await delay(shortPause)) {
      try {
        return await work();
      } catch (error) {
        if (!isLost(error)) throw error;
        await this.connections.back((since ??= performance.now()));
      }
    }
  }

  /** Throws a loss only where nothing was written. */
  private async attempt<T>(begin: string, work: (db: Db) => Promise<T>): Promise<Attempt<T>> {
    const client = await this.lender.connect();
    let broken: Error | undefined;
    try {
      const number = numberIn(await client.query(begin));
      const db = new InTransaction(client, this.named);
      const result = await work(db);
      const commit = () => client.query('commit');
      if (!number) await commit();
      else broken = await this.standby.confirmed(commit).then(undefinedly, orThrowUnlessInDoubt);
      return { result, unanswered: number && broken && { number, proof: db.proof, error: broken } };
    } catch (error) {
      // One that waits for a standby answers nothing else.
      if (error instanceof DatabaseUnavailable) broken = error;
      else await client.query('rollback').catch((failure: Error) => (broken = failure));
      // It leads to a standby, and so it would for whoever gets it next.
      if (isReadOnly(error)) broken ??= error as Error;
      throw (broken && this.connections.faultOf(client)) ?? error;
    } finally {
      // A connection that cannot roll back is not given to the next caller.
      client.release(broken);
    }
  }

  /**
   * Whether a transaction was written whose commit was not answered. The server that began it knows, as long as it runs;
   * another one, or the same one after a crash, may have given its number to somebody else.
   */
  private async committed({ number, proof, error }: Unanswered): Promise<boolean> {
    for (const since = performance.now(); ; await delay(shortPause)) {
      await this.connections.back(since);
      const { same, status } = await this.one(fate, number);
      if (status === 'committed') return true;
      if (status === 'aborted') return false;
      if (same && status !== null) continue;
      if (same || !proof) throw inDoubt(error);
      return (await this.one(proof.query, proof.values)).there;
    }
  }

  provenBy(): void {}
}

interface TransactionNumber {
  id: string;
  /** When the server began that gave it. */
  life: string;
}

/** A commit that was sent and not answered. */
interface Unanswered {
  number: TransactionNumber;
  proof: Proof | undefined;
  error: Error;
}

interface Attempt<T> {
  result: T;
  unanswered: Unanswered | undefined;
}

const undefinedly = (): undefined => undefined;

function orThrowUnlessInDoubt(error: unknown): Error {
  if (lossOf(error) !== 'in doubt') throw error;
  return error as Error;
}

/** What begins a transaction is several statements; the last gives its number. */
function numberIn(begun: pg.QueryResult | pg.QueryResult[]): TransactionNumber | undefined {
  const last = Array.isArray(begun) ? begun.at(-1) : begun;
  return last?.rows[0] as TransactionNumber | undefined;
}

function inDoubt(cause: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'The database was lost before it confirmed this. Look whether it was done, or ask again with the same Idempotency-Key',
    { cause },
  );
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
