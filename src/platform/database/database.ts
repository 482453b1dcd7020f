import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { inSpan, isTracing } from '../telemetry/tracing.ts';
import { BatchedReads } from './batched-reads.ts';
import { type Columns, flag, integer, type Kind, orNull, type RowOf, text } from './columns.ts';
import type { ConnectionMode } from './connection-mode.ts';
import type { Connections } from './connections.ts';
import { type Connectable, LimitedPool } from './limited-pool.ts';
import { DatabaseUnavailable, isReadOnly, lossOf } from './losses.ts';
import { type Query, query, valuesOf } from './query.ts';
import type { StandbyMonitor } from './standby.ts';

/** The select list that reads each field from its source. */
export function selectList(columns: Record<string, string>): string {
  return Object.entries(columns)
    .map(([field, from]) => `${from} as "${field}"`)
    .join(', ');
}

/** Optional for a query without parameters. */
type ValuesOf<In extends Columns> =
  Partial<RowOf<In>> extends RowOf<In> ? [values?: RowOf<In>] : [values: RowOf<In>];

/** Runs queries, in the pool or in the current transaction. */
export interface Db {
  rows<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...values: ValuesOf<In>
  ): Promise<RowOf<Out>[]>;
  row<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...values: ValuesOf<In>
  ): Promise<RowOf<Out> | undefined>;
  /** For a query that always returns a row. */
  one<In extends Columns, Out extends Columns>(
    query: Query<In, Out>,
    ...values: ValuesOf<In>
  ): Promise<RowOf<Out>>;
  /** Returns the number of rows written. */
  run<In extends Columns>(query: Query<In>, ...values: ValuesOf<In>): Promise<number>;
  /** Runs `work` in a new transaction, or in the current one. */
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs reads on one consistent snapshot without writes. Inside a snapshot it joins that. Inside a transaction it
   * joins that too, where each statement sees what was committed before it: take snapshots before the transaction
   * begins.
   */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Names a row that this transaction writes and that is never deleted. If the database crashes before it confirms the
   * commit, the existence of that row tells whether the transaction committed.
   */
  provenBy(proof: Proof): void;
}

interface Proof {
  query: Query<Columns, { there: Kind<boolean> }>;
  values: Record<string, unknown>;
}

/** The parts of a query that are sent. */
type Sent = Pick<Query, 'name' | 'text' | 'order' | 'reads' | 'batch'>;

type Result = Pick<pg.QueryResult, 'rows' | 'rowCount'>;

abstract class Queries {
  /** Whether a connection keeps prepared statements by name. */
  protected readonly named: boolean;

  constructor(named: boolean) {
    this.named = named;
  }

  protected abstract send(config: pg.QueryConfig, query: Sent): Promise<Result>;

  /** One promise per statement, because every request waits for at least one. */
  private ask<T>(query: Sent, values: Record<string, unknown> = {}, read: (result: Result) => T): Promise<T> {
    const { name, text } = query;
    const sent = { ...(this.named && { name }), text, values: valuesOf(query, values) };
    const answered = isTracing() ? traced(name, () => this.send(sent, query)) : this.send(sent, query);
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

/** Queries on one connection, whose transaction the caller begins and ends. */
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
/** Looks up the outcome of a transaction. Unknown if the server that began it no longer runs. */
const fate = query(
  'transaction.fate',
  `select pg_postmaster_start_time()::text = :life as same,
     case when pg_postmaster_start_time()::text = :life then pg_xact_status((:id::text)::xid8) end as status`,
  { id: text, life: text },
  { same: flag, status: orNull(text) },
);

/** Assigns a transaction ID, by which the outcome can be looked up if the connection breaks. */
const numbered = '; select pg_current_xact_id()::text as id, pg_postmaster_start_time()::text as life';
/** Milliseconds between two attempts. */
const shortPause = 20;

/**
 * Statements on the pool of this process. While the database is briefly unavailable, during a restart or failover, work
 * waits: transactions that certainly did not commit are retried, and the outcome of an unconfirmed commit is looked up.
 */
export class Database extends Queries implements Db {
  private readonly connections: Connections;
  private readonly mode: Pick<ConnectionMode, 'pooled' | 'afterBegin'>;
  private readonly standby: StandbyMonitor;
  private readonly source: Connectable;
  private readonly batched: BatchedReads;

  constructor(
    connections: Connections,
    mode: Pick<ConnectionMode, 'pooled' | 'afterBegin'>,
    standby: StandbyMonitor,
    source: Connectable = connections.pool,
  ) {
    super(!mode.pooled);
    this.connections = connections;
    this.mode = mode;
    this.standby = standby;
    this.source = source;
    this.batched = new BatchedReads(source, !mode.pooled);
  }

  /** A view of this database that uses at most `most` connections. */
  within(most: number): Database {
    const { connections, mode, standby } = this;
    return new Database(connections, mode, standby, new LimitedPool(connections.pool, most));
  }

  get pool(): pg.Pool {
    return this.connections.pool;
  }

  protected send(config: pg.QueryConfig, { name, text, reads, batch }: Sent): Promise<Result> {
    const answered = batch
      ? this.batched
          .read({ name, text, batch }, config.values ?? [])
          .then((rows) => ({ rows, rowCount: null }))
      : this.once(config, reads);
    return answered.catch((error: unknown) => this.again(config, reads, error));
  }

  private once(config: pg.QueryConfig, reads: boolean): Promise<pg.QueryResult> {
    return reads ? this.source.query(config) : this.write(config);
  }

  private async write(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.source.connect();
    let broken: Error | undefined;
    try {
      return await this.standby.confirmed(() => client.query(config));
    } catch (error) {
      if (error instanceof DatabaseUnavailable || lossOf(error) || isReadOnly(error)) broken = error as Error;
      throw error;
    } finally {
      // A connection that waits for a lock or leads to a standby is closed, not reused.
      client.release(broken);
    }
  }

  private async again(config: pg.QueryConfig, reads: boolean, first: unknown): Promise<pg.QueryResult> {
    const since = performance.now();
    for (let error = first; ; await delay(shortPause)) {
      const loss = lossOf(error);
      if (loss === undefined && !isReadOnly(error)) throw error;
      if (loss === 'unknown-outcome' && !reads) throw inDoubt(error);
      await this.connections.back(since);
      try {
        return await this.once(config, reads);
      } catch (failure) {
        error = failure;
      }
    }
  }

  /** Rejects if requests cannot be served, but not while they still wait for the database. */
  async ping(): Promise<void> {
    if (!this.connections.isAwaited) await this.row(probe);
  }

  async transaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
    let races = 1;
    const isLost = (error: unknown): boolean => lossOf(error) !== undefined || isReadOnly(error);
    return this.persist(isLost, async () => {
      for (;;) {
        try {
          const { result, unanswered } = await this.attempt(`begin${this.mode.afterBegin}${numbered}`, work);
          if (!unanswered || (await this.committed(unanswered))) return result;
        } catch (error) {
          if (!isSerializationFailure(error) || races++ === 5) throw error;
        }
      }
    });
  }

  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const begin = `begin isolation level repeatable read read only${this.mode.afterBegin}`;
    const isLost = (error: unknown): boolean => lossOf(error) !== undefined;
    return this.persist(isLost, async () => (await this.attempt(begin, work)).result);
  }

  /** Retries while the database is unavailable and nothing was written. */
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

  /** Throws a loss only if nothing was written. */
  private async attempt<T>(begin: string, work: (db: Db) => Promise<T>): Promise<Attempt<T>> {
    const client = await this.source.connect();
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
      // A connection that waits for a standby does not respond.
      if (error instanceof DatabaseUnavailable) broken = error;
      else await client.query('rollback').catch((failure: Error) => (broken = failure));
      // The connection leads to a standby, and would for the next caller too.
      if (isReadOnly(error)) broken ??= error as Error;
      throw (broken && this.connections.faultOf(client)) ?? error;
    } finally {
      // A connection that cannot roll back is not reused.
      client.release(broken);
    }
  }

  /**
   * Whether a transaction with an unconfirmed commit was written. The server that began it knows while it runs; another
   * server, or the same one after a crash, may have reused the transaction ID.
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
  /** The start time of the server that assigned it. */
  life: string;
}

/** A commit that was sent but not confirmed. */
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
  if (lossOf(error) !== 'unknown-outcome') throw error;
  return error as Error;
}

/** Beginning a transaction takes several statements, the last of which returns its ID. */
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

/** Traces a statement, including the wait for a connection, but not its parameters. */
function traced<T>(name: string, send: () => Promise<T>): Promise<T> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
  return inSpan(name, { kind: 'client', part: true, attributes }, send);
}

/** A statement that timed out or was cancelled. The database does not say which one it was, so the name is added. */
function cancelled(error: unknown, name: string): Error | undefined {
  const { code, message } = error as { code?: string; message: string };
  if (code !== '57014' && message !== 'Query read timeout') return undefined;
  return Object.assign(new Error(`The statement ${name} was cancelled: ${message}`, { cause: error }), {
    code,
  });
}

/** Serialization failure or deadlock: nothing was written, and a retry may succeed. */
function isSerializationFailure(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  return code === '40001' || code === '40P01';
}

/** The table of a referenced row that was deleted concurrently. Our constraints contain the name of the column. */
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
